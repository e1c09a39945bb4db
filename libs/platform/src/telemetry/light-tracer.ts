// Spans as plain objects, for processes that send them to our own trace store alone. Those of the SDK cost a call three times as much.
import {
  context as contexts,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type AttributeValue,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { randomHex } from '../random-hex.js';
import { LocalTrace } from './local-trace.js';
import { callerAttributes, unstored, type SpanRecord } from './span-sink.js';
import { TraceRate } from './trace-rate.js';

const flushMs = 500;
/** Spans that are held while the store is slow. Further ones are dropped. */
const mostHeld = 16_384;
/** Spans that are sent together. */
const mostSent = 4_096;

export const kinds: Readonly<Record<SpanKind, SpanRecord['kind']>> = {
  [SpanKind.INTERNAL]: 'internal',
  [SpanKind.SERVER]: 'server',
  [SpanKind.CLIENT]: 'client',
  [SpanKind.PRODUCER]: 'producer',
  [SpanKind.CONSUMER]: 'consumer',
};
export const statuses: Readonly<Record<SpanStatusCode, SpanRecord['status']>> = {
  [SpanStatusCode.UNSET]: 'unset',
  [SpanStatusCode.OK]: 'ok',
  [SpanStatusCode.ERROR]: 'error',
};

interface LightTracerOptions {
  /** The name of this process in its spans. */
  readonly service: string;
  /** The share of traces that are kept, of those that begin here. 0 records none of them; else those that fail or are slow are kept too. */
  readonly ratio: number;
  /** Traces that are kept a second; those that fail or are slow are kept too. Default: all. */
  readonly perSecond?: number;
  readonly send: (spans: readonly SpanRecord[]) => Promise<void>;
}

/** What the API asks of a provider, as far as spans of ours and of the instrumentations need it. It keeps no events and no links. */
export class LightTracerProvider implements TracerProvider, Tracer {
  readonly #options: LightTracerOptions;
  readonly #rate: TraceRate;
  #held: SpanRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;

  constructor(options: LightTracerOptions) {
    this.#options = options;
    this.#rate = new TraceRate(options.perSecond ?? Number.POSITIVE_INFINITY);
  }

  getTracer(): Tracer {
    return this;
  }

  startSpan(name: string, options: SpanOptions = {}, context: Context = contexts.active()): Span {
    const above = options.root ? undefined : trace.getSpan(context);
    const parent = above?.spanContext();
    const isChild = parent !== undefined && isSpanContextValid(parent);
    const { kind = SpanKind.INTERNAL, attributes: own = {} } = options;
    const attributes = { ...own, ...ownerOf(above, own) };
    const start = { name, kind, service: this.#options.service, attributes, parent: isChild ? parent.spanId : null };
    const spanId = randomHex(16);
    if (isChild && above instanceof LightSpan) return new LightSpan(start, { ...parent, spanId }, { trace: above.trace, isFirst: false });
    const isKept = this.#isKept(isChild ? parent : null, kind);
    const isRecorded = isKept || this.#options.ratio > 0;
    const spanContext = {
      ...(isChild ? { ...parent, isRemote: false } : { traceId: randomHex(32) }),
      spanId,
      traceFlags: isKept ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
    return new LightSpan(start, spanContext, { trace: isRecorded ? new LocalTrace(isKept, this.#onEnd) : null, isFirst: true });
  }

  startActiveSpan<Work extends (span: Span) => unknown>(name: string, work: Work): ReturnType<Work>;
  startActiveSpan<Work extends (span: Span) => unknown>(name: string, options: SpanOptions, work: Work): ReturnType<Work>;
  // oxlint-disable-next-line max-params -- as the API has it
  startActiveSpan<Work extends (span: Span) => unknown>(name: string, options: SpanOptions, context: Context, work: Work): ReturnType<Work>;
  // oxlint-disable-next-line max-params -- as the API has it
  startActiveSpan(
    name: string,
    options: SpanOptions | ((span: Span) => unknown),
    context?: Context | ((span: Span) => unknown),
    work?: (span: Span) => unknown,
  ): unknown {
    if (typeof options === 'function') return this.#during(name, { options: {}, context: contexts.active(), work: options });
    if (typeof context === 'function') return this.#during(name, { options, context: contexts.active(), work: context });
    return work && this.#during(name, { options, context: context ?? contexts.active(), work });
  }

  /** Sends all that is held. */
  async forceFlush(): Promise<void> {
    await this.#sending;
    while (this.#held.length > 0) await this.#send();
  }

  #during(
    name: string,
    { options, context, work }: { readonly options: SpanOptions; readonly context: Context; readonly work: (span: Span) => unknown },
  ): unknown {
    const span = this.startSpan(name, options, context);
    return contexts.with(trace.setSpan(context, span), () => work(span));
  }

  /** Whoever takes a message from a queue does as its sender decided. A caller decides only that a trace is not kept. */
  #isKept(parent: SpanContext | null, kind: SpanKind): boolean {
    if (parent && (parent.traceFlags & TraceFlags.SAMPLED) === 0) return false;
    if (parent) return kind === SpanKind.CONSUMER || this.#rate.takes();
    const { ratio } = this.#options;
    return (ratio >= 1 || Math.random() < ratio) && this.#rate.takes();
  }

  readonly #onEnd = (span: SpanRecord): void => {
    if (this.#held.length === mostHeld) return;
    this.#held.push(span);
    if (this.#held.length >= mostSent) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), flushMs).unref();
  };

  /** One after the other. What cannot be stored is dropped: traces are best effort. */
  async #send(): Promise<void> {
    if (this.#sending) return this.#sending;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending = this.#options.send(this.#held.splice(0, mostSent)).catch(() => undefined);
    await this.#sending;
    this.#sending = null;
    if (this.#held.length > 0) this.#timer ??= setTimeout(() => void this.#send(), flushMs).unref();
  }
}

interface SpanStart {
  name: string;
  readonly service: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly parent: string | null;
}

interface PlaceInTrace {
  /** Null for a trace that nobody records. */
  readonly trace: LocalTrace | null;
  /** Whether it is the first of its trace in this process. */
  readonly isFirst: boolean;
}

class LightSpan implements Span {
  readonly attributes: Attributes;
  readonly #start: SpanStart;
  readonly #context: SpanContext;
  readonly trace: LocalTrace | null;
  readonly #isFirst: boolean;
  readonly #startedAt = Date.now();
  readonly #from = performance.now();
  #status = SpanStatusCode.UNSET;
  #isOver = false;

  constructor(start: SpanStart, context: SpanContext, { trace: around, isFirst }: PlaceInTrace) {
    this.attributes = start.attributes;
    this.#start = start;
    this.#context = context;
    this.trace = around;
    this.#isFirst = isFirst;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(name: string, value: AttributeValue): this {
    if (!this.#isOver) this.attributes[name] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    if (!this.#isOver) Object.assign(this.attributes, attributes);
    return this;
  }

  setStatus({ code }: SpanStatus): this {
    if (!this.#isOver) this.#status = code;
    return this;
  }

  updateName(name: string): this {
    if (!this.#isOver) this.#start.name = name;
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  recordException(): void {}

  /** False for one that nobody will see: those who ask then save themselves its attributes. */
  isRecording(): boolean {
    return !this.#isOver && this.trace !== null;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.trace && this.attributes[unstored] !== true) this.trace.add(this.#record());
    if (this.#isFirst) this.trace?.end();
  }

  #record(): SpanRecord {
    const { name, service, kind, parent } = this.#start;
    return {
      trace_id: this.#context.traceId,
      span_id: this.#context.spanId,
      parent_span_id: parent,
      service,
      name,
      kind: kinds[kind],
      start: this.#startedAt,
      duration_ms: Math.round((performance.now() - this.#from) * 1_000) / 1_000,
      status: statuses[this.#status],
      attributes: this.attributes,
    };
  }
}

/**
 * Spans belong to whoever the one above them does. So does what is looked up for a stranger, before it is known that he is one. What
 * says itself whose it is keeps to that.
 */
export function ownerOf(above: Span | undefined, own: Attributes): Attributes {
  if (!above || !('attributes' in above)) return {};
  const { [unstored]: isUnstored, [callerAttributes.tenant]: tenant, [callerAttributes.user]: user } = Object(above.attributes);
  return {
    ...(isUnstored === true && { [unstored]: true }),
    ...(typeof tenant === 'string' &&
      !(callerAttributes.tenant in own) && { [callerAttributes.tenant]: tenant, [callerAttributes.user]: user }),
  };
}
