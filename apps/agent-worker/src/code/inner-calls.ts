// The calls that code makes. Each is one of its own at the gateway, in the name of the caller. What it gave is kept as a step of the call that runs the
// code, in its order: so after a rest, or the death of a worker, the code runs again from its beginning and finds the same.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { codeCallsAtOnce, inputWait, jsonIn, mostCallBytes, mostCallsBytes, mostCodeCalls, type ToolDefinition } from '#lib/contracts';
import type { ToolContext } from '#lib/handlers';
import type { Authority, GatewayClient, ToolAnswer, ToolEnd, ToolRest } from '../gateway-client.js';
import { CodeRefusal } from './code-refusal.js';
import { Deliveries } from './deliveries.js';
import type { Reply } from './messages.js';
import { Slots } from './slots.js';

interface InnerCallsParts {
  readonly context: Pick<ToolContext, 'step' | 'rest'>;
  /** All tools of the caller, by name. */
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  /** Those of them that are functions in the code. */
  readonly callable: ReadonlySet<string>;
  readonly gateway: Pick<GatewayClient, 'callOrRest' | 'goOn' | 'cancel' | 'search'>;
  readonly authority: Authority;
  /** The longest that one call is waited for, ms. */
  readonly limitMs: number;
  /** The numbers of the replies that earlier attempts have kept. */
  readonly kept: readonly number[];
}

interface InnerCall {
  readonly order: number;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type InnerAnswer = { readonly data: unknown } | { readonly error: Readonly<Record<string, unknown>> };

/** What is kept of a call: `call` tells it from others. */
const keptCall = z.object({ call: z.string(), number: z.number(), at: z.number(), answer: z.custom<InnerAnswer>() });
type Kept = z.infer<typeof keptCall>;
type KeptRest = { readonly call: string; readonly rest: ToolRest };

const ask = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), tool: z.string(), input: z.string() }),
  z.strictObject({ kind: z.literal('describe'), tool: z.string() }),
  z.strictObject({ kind: z.literal('search'), query: z.string() }),
]);
const parameters = z.record(z.string(), z.unknown());
/** After the end of a rest, until whoever ends calls about which nobody decided has done so. */
const restGraceMs = 2_000;
/** @limit code: tools that `tools.$search` gives; the others are left out */
const mostFound = 10;
const stepName = (order: number, part: number): string => (part === 1 ? `call ${order}` : `call ${order}.${part}`);

/** The number of the reply that a step of an earlier attempt has; null for every other step. */
export function keptNumber(data: unknown): number | null {
  return keptCall.safeParse(data).data?.number ?? null;
}

export class InnerCalls {
  readonly #parts: InnerCallsParts;
  readonly #slots = new Slots(codeCallsAtOnce);
  readonly #deliveries: Deliveries;
  readonly #open = new Map<number, string>();
  readonly #resting = new Map<string, ToolRest>();
  /** Calls that run, or whose replies are on their way to the code. */
  #busy = 0;
  /** What the code has to be done with before it can be at rest: its beginning, and each reply. */
  #unread = 1;
  #asked = 0;
  #made = 0;
  #bytes = 0;
  #at = 0;

  constructor(parts: InnerCallsParts) {
    this.#parts = parts;
    this.#deliveries = new Deliveries(parts.kept);
  }

  /** How many it has made. */
  get made(): number {
    return this.#made;
  }

  /** The tools whose answers it waits for. */
  get open(): readonly string[] {
    return [...new Set(this.#open.values())];
  }

  /** Does what the code asks. Throws CodeRefusal where it asks too much. @param signal ends with the code */
  async reply(asked: unknown, signal: AbortSignal): Promise<Reply> {
    const order = (this.#asked += 1);
    if (order > mostCodeCalls)
      throw new CodeRefusal('TOO_MANY_CALLS', `The code makes more than ${mostCodeCalls} calls: fetch more with each, or run it in parts`);
    const parsed = ask.parse(asked);
    this.#open.set(order, parsed.kind === 'search' ? '$search' : parsed.tool);
    this.#busy += 1;
    const kept = await this.#kept(order, parsed, signal);
    await this.#deliveries.turn(kept.number);
    this.#open.delete(order);
    this.#busy -= 1;
    this.#unread += 1;
    return { json: JSON.stringify(kept.answer), at: kept.at };
  }

  /** The code is done with its beginning, or with a reply, and waits for more. */
  read(): void {
    this.#unread -= 1;
    this.#restIfIdle();
  }

  /** Cancels the calls that wait for people, of code that has ended. */
  async cancelResting(): Promise<void> {
    const { gateway, authority } = this.#parts;
    await Promise.allSettled([...this.#resting.keys()].map(async (jobId) => gateway.cancel(jobId, authority)));
  }

  async #kept(order: number, asked: z.infer<typeof ask>, signal: AbortSignal): Promise<Kept> {
    switch (asked.kind) {
      case 'call':
        return this.#called({ order, tool: asked.tool, input: inputOf(asked.input) }, signal);
      case 'describe':
        return this.#described(order, asked.tool);
      case 'search':
        return this.#searched(order, asked.query, signal);
    }
  }

  /** Kept as a call is: a catalog that has changed meanwhile would take the code another way. */
  async #searched(order: number, query: string, signal: AbortSignal): Promise<Kept> {
    using _slot = await this.#slot();
    const { gateway, authority, definitions, callable, context } = this.#parts;
    const call = fingerprintOf(['$search', query]);
    const kept = await context.step(stepName(order, 1), async () => {
      const found = await gateway.search(query, mostFound, { ...authority, signal: AbortSignal.any([authority.signal, signal]) });
      if (!found.ok) return this.#toKeep(call, found);
      const tools = found.names.flatMap((name) => (callable.has(name) ? (definitions.get(name) ?? []) : []));
      return this.#toKeep(call, { ok: true, data: { tools: tools.map(described) } });
    });
    if (kept.call !== call) throw new Error(`call ${order} of the code is another one than in an earlier attempt`);
    return kept;
  }

  async #called(call: InnerCall, signal: AbortSignal): Promise<Kept> {
    using _slot = await this.#slot();
    this.#made += 1;
    const fingerprint = fingerprintOf([call.tool, call.input]);
    let rest: ToolRest | null = null;
    for (let part = 1; ; part++) {
      const before = rest;
      let isNew = false;
      const kept: Kept | KeptRest = await this.#parts.context.step(stepName(call.order, part), async () => {
        isNew = true;
        const end = await this.#end(call, before, signal);
        return 'rest' in end ? { call: fingerprint, rest: end.rest } : this.#toKeep(fingerprint, end);
      });
      if (kept.call !== fingerprint) throw new Error(`call ${call.order} of the code is another one than in an earlier attempt`);
      if ('number' in kept) {
        if (rest) this.#resting.delete(rest.jobId);
        return kept;
      }
      ({ rest } = kept);
      this.#resting.set(rest.jobId, rest);
      if (isNew) await this.#untilRested();
    }
  }

  async #end({ order, tool, input }: InnerCall, rest: ToolRest | null, signal: AbortSignal): Promise<ToolEnd> {
    const { gateway, authority, limitMs, definitions } = this.#parts;
    const options = { ...authority, signal: AbortSignal.any([authority.signal, signal]), limitMs };
    if (rest) return gateway.goOn(tool, rest.jobId, options);
    const definition = definitions.get(tool);
    if (!definition)
      return { ok: false, error: { code: 'TOOL_NOT_FOUND', message: `There is no tool ${tool.slice(0, 64)}`, retryable: false } };
    // The same call of a later attempt is the same one.
    return gateway.callOrRest(tool, input, { ...options, effectKey: definition.read_only ? null : `${authority.jobId}:${order}` });
  }

  async #described(order: number, tool: string): Promise<Kept> {
    return this.#parts.context.step(stepName(order, 1), () => {
      const definition = this.#parts.definitions.get(tool);
      const none = { error: { code: 'TOOL_NOT_FOUND', message: `There is no tool ${tool.slice(0, 64)}`, retryable: false } };
      return this.#numbered(`describe ${tool}`, definition === undefined ? none : { data: described(definition) });
    });
  }

  #toKeep(call: string, answer: ToolAnswer): Kept {
    const given: InnerAnswer = answer.ok ? { data: answer.data } : { error: { ...answer.error } };
    const bytes = Buffer.byteLength(JSON.stringify(given));
    const fault =
      bytes > mostCallBytes ? `The result has ${bytes} bytes, and code takes ${mostCallBytes}: ask for less` : this.#faultOfSum(bytes);
    return this.#numbered(call, fault === null ? given : { error: { code: 'PAYLOAD_TOO_LARGE', message: fault, retryable: false } });
  }

  #faultOfSum(bytes: number): string | null {
    if (this.#bytes + bytes > mostCallsBytes)
      return `The results of all calls of the code have more than ${mostCallsBytes} bytes: ask for less`;
    this.#bytes += bytes;
    return null;
  }

  #numbered(call: string, answer: InnerAnswer): Kept {
    this.#at = Math.max(this.#at, Date.now());
    return { call, number: this.#deliveries.next(), at: this.#at, answer };
  }

  /** Those that wait for a place keep nobody from a rest: all places may be taken by calls that rest. */
  async #slot(): Promise<Disposable> {
    if (this.#slots.isFree) return this.#slots.take();
    this.#busy -= 1;
    const slot = await this.#slots.take();
    this.#busy += 1;
    return slot;
  }

  async #untilRested(): Promise<never> {
    this.#busy -= 1;
    this.#restIfIdle();
    return new Promise<never>(() => undefined);
  }

  /** Ends the attempt where all that is left to do waits for people. */
  #restIfIdle(): void {
    if (this.#busy > 0 || this.#unread > 0) return;
    const [first, ...others] = [...this.#resting.values()].map(
      ({ inputRequest, until }) =>
        ({ name: inputWait(inputRequest), reason: 'event', until: Math.max(until, Date.now()) + restGraceMs, inputRequest }) as const,
    );
    if (first) void this.#parts.context.rest(first, ...others);
  }
}

function described({ name, description, parameters: takes }: ToolDefinition) {
  return { name, description, parameters: takes };
}

function fingerprintOf(asked: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 16);
}

function inputOf(text: string): InnerCall['input'] {
  const { data } = parameters.safeParse(jsonIn(text));
  if (!data) throw new TypeError('the interpreter gave parameters that are no object');
  return data;
}
