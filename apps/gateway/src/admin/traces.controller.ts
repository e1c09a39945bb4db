import { Controller, Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope, principal, Refusal, type Caller } from '#lib/contracts';
import { TraceStore } from '#lib/transport';
import { callerOf } from '../callers/authentication.js';
import { Route } from '../http/route.js';

const storedSpan = z.looseObject({
  trace_id: z.string(),
  start: z.number(),
  duration_ms: z.number(),
  attributes: z.record(z.string(), z.unknown()),
});

/** The spans that all processes recorded for one call, for its caller. */
@Controller('traces')
export class TracesController {
  readonly #traces: TraceStore;

  constructor(traces: TraceStore) {
    this.#traces = traces;
  }

  @Route({ docs: { id: 'getTrace', summary: 'What one call did', tag: 'operations', parameters: [['path', 'id', 'Trace id.']] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const caller = callerOf(request);
    const spans = (await this.#traces.read(id.slice(0, 128), principal(caller)))
      .map((text) => storedSpan.parse(JSON.parse(text)))
      .toSorted((a, b) => a.start - b.start);
    const [first] = spans;
    if (!first || !isOwn(spans, caller))
      throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such trace; recent ones are kept for an hour');
    const end = Math.max(...spans.map((span) => span.start + span.duration_ms));
    return {
      trace_id: id,
      w3c_trace_id: first.trace_id,
      started_at: new Date(first.start).toISOString(),
      duration_ms: Math.round((end - first.start) * 1_000) / 1_000,
      spans: spans.map(({ start, ...span }) => ({
        ...span,
        started_at: new Date(start).toISOString(),
        offset_ms: Math.round((start - first.start) * 1_000) / 1_000,
      })),
    };
  }
}

/** Every request of a trace must be the reader's own, because two callers may have joined the same trace. */
function isOwn(spans: readonly z.infer<typeof storedSpan>[], caller: Caller): boolean {
  if (hasScope(caller, 'admin')) return true;
  const owners = spans.filter(({ attributes }) => 'invoq.tenant' in attributes);
  return (
    owners.length > 0 &&
    owners.every(({ attributes }) => attributes['invoq.tenant'] === caller.tenantId && attributes['invoq.user'] === (caller.userId ?? ''))
  );
}
