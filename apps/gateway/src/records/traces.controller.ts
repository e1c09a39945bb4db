import { hash } from 'node:crypto';
import { Controller, Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope, principal, Refusal, type Caller } from '#lib/contracts';
import { callerAttributes, logAttribute, unstored } from '#lib/platform';
import { TraceStore } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { Route } from '../http/route.js';
import { stepsIn } from '../calls/steps.js';
import { Stores } from '../stores.js';

const storedSpan = z.looseObject({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string().nullable(),
  start: z.number(),
  duration_ms: z.number(),
  attributes: z.record(z.string(), z.unknown()),
});

type Span = z.infer<typeof storedSpan>;

const notKept =
  'There is no such trace. One is kept for an hour; of calls that were quick and succeeded, TRACES_PER_SECOND are kept in a second';

/** The spans that all processes recorded for one call, for its caller. */
@Controller('traces')
export class TracesController {
  /** Whether every caller sees what the tools logged and threw in his calls; else administrators do. */
  readonly #showsInside: boolean;

  constructor(
    private readonly traces: TraceStore,
    { settings }: Stores,
  ) {
    this.#showsInside = settings.NODE_ENV === 'development';
  }

  @Route({ docs: { id: 'getTrace', summary: 'What one call did', tag: 'operations', parameters: [['path', 'id', 'Trace id.']] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const caller = callerOf(request);
    const readsAll = hasScope(caller, 'admin');
    const reader = { who: principal(caller), tenant: readsAll ? null : caller.tenantId };
    const stored = (await this.traces.read(id.slice(0, 128), reader)).map((text) => storedSpan.parse(JSON.parse(text)));
    const seesInside = this.#showsInside || readsAll || hasScope(caller, 'tenant:admin');
    const spans = stored
      .filter((span) => readsAll || isOwn(span, caller))
      .map((span) => (seesInside ? span : withoutInside(span)))
      .flatMap(withSteps)
      .toSorted((a, b) => a.start - b.start);
    const [first] = spans;
    if (!first) throw new Refusal('RESOURCE_NOT_FOUND', notKept);
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

/** Without what its tool logged and threw. */
function withoutInside(span: Span): Span {
  const { [logAttribute]: _, ...attributes } = span.attributes;
  return { ...span, attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !name.startsWith('exception.'))) };
}

/** A request's span, and its steps as spans below it. */
function withSteps(span: Span): readonly Span[] {
  const { 'invoq.steps': noted, [unstored]: _, ...attributes } = span.attributes;
  const steps = stepsIn(noted).map(({ name, offsetMs, durationMs }, index) => ({
    ...span,
    span_id: hash('sha256', `${span.span_id} ${index}`).slice(0, 16),
    parent_span_id: span.span_id,
    name,
    kind: 'internal',
    status: 'unset',
    start: span.start + offsetMs,
    duration_ms: durationMs,
    attributes: {},
  }));
  return [{ ...span, attributes }, ...steps];
}

/** Whoever knows a trace id can join the trace: the spans of others in the tenant neither show nor hide those of the reader. */
function isOwn({ attributes }: Span, caller: Caller): boolean {
  return attributes[callerAttributes.tenant] === caller.tenantId && attributes[callerAttributes.user] === (caller.userId ?? '');
}
