// Who calls, and with what request, in tests of this folder.
import { randomBytes } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import type { Caller } from '#lib/contracts';
import type { RequestFacts } from './call-facts.js';
import { Steps } from './steps.js';
import { Taken } from './taken.js';

let tenants = 0;
/** A caller of a tenant of its own. */
export function newCaller(rest: Partial<Caller> = {}): Caller {
  const tenantId = `tenant-${process.pid}-${++tenants}`;
  return { tenantId, userId: 'u', tier: 'pro', scopes: ['tools:read', 'tools:write'], credentialId: `key-${tenantId}`, ...rest };
}

/** What is known of a request that begins now. */
export function newFacts(traceId = `trace_${randomBytes(6).toString('hex')}`): RequestFacts {
  return {
    requestId: 'req-1',
    startedAt: performance.now(),
    traceId,
    derivedTraceId: traceId,
    w3cTraceId: '0'.repeat(32),
    traceparent: '',
    span: trace.getTracer('test').startSpan('request'),
    steps: new Steps(),
    taken: new Taken(),
    caller: null,
  };
}
