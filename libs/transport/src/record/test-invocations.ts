// A store and invocations for tests of this room.
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Caller, Outcome } from '#lib/contracts';
import { testFiles } from '#lib/testing';
import type { AcceptRequest } from './acceptance.js';
import type { Ending, CallHead } from './codec.js';
import { EventLog } from '../follow/event-log.js';
import { InvocationStore } from './invocation-store.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { Sealer } from './sealing.js';

export const dayMs = 86_400_000;

/** A store with a key of its own, and what it is made of. */
export function storeOn(redis: Redis, namespace: string) {
  const keys = new RedisKeys(namespace);
  const sealer = new Sealer([{ id: 'a', key: randomBytes(32) }]);
  const files = testFiles(namespace);
  return { keys, sealer, files, store: new InvocationStore({ redis, keys, sealer, files }), log: new EventLog(redis, keys) };
}

let tenants = 0;
/** Of a tenant of its own. */
export function newCaller(): Caller {
  return { tenantId: `t${++tenants}`, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
}

/** A call of `calc_metrics`, as it is let in. */
export function request(caller: Caller, rest: Omit<Partial<AcceptRequest>, 'head'> & { head?: Partial<CallHead> } = {}): AcceptRequest {
  const { head, ...others } = rest;
  return {
    jobId: newJobId(partitionOf('profile')),
    deadline: Date.now() + dayMs,
    fingerprint: 'f1',
    idempotencyKey: null,
    readCache: false,
    ...others,
    head: {
      v: 1,
      tool: 'calc_metrics',
      version: '2.0.0',
      input: { age: 30 },
      caller,
      sessionId: null,
      traceId: 'trace_x',
      traceparent: '',
      createdAt: Date.now(),
      validationMs: 0,
      maxAttempts: 2,
      retry: true,
      flightKey: null,
      cacheKey: null,
      ...head,
    },
  };
}

export const done: Outcome = { ok: true, data: { a: 1 } };
export function ending(rest: Partial<Ending> = {}): Ending {
  return { state: 'completed', outcome: done, startedAt: 1, finishedAt: Date.now(), attempts: 1, executionMs: 1, networkMs: 0, ...rest };
}
