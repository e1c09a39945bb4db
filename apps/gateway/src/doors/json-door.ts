import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type Language, type ToolContract } from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import type { RequestFacts } from '../calls/call-facts.js';
import { envelopeOf, type Answer } from '../calls/answer.js';
import { CachedCall, type Call, type Resting } from '../calls/call.js';
import { Calls } from '../calls/calls.js';
import { parametersInBody } from '../calls/call-body.js';
import type { CallOfBody, CallOfHead, KnownRequest, PlainAnswer } from '../calls/call-facts.js';
import type { CallOptions } from '../calls/options.js';
import type { RepeatedForm } from '../calls/repeatable-call.js';
import { callBasics } from '../http/call-headers.js';
import { hasOwnHeaders, sendAnswer } from './call-request.js';
import { answerFor, answerIn, languageOf } from '../http/language.js';
import { disconnected } from '../http/query.js';
import { acceptedOf, type Accepted } from './accepted.js';
import { BegunBefore } from './begun-before.js';
import type { RouteParameter } from '../http/route.js';
import { waitPreferenceOf, type WaitPreference } from './preference.js';

/** For the doors whose answer is JSON. */
export const resultParameter: RouteParameter = ['query', 'result', 'data: a success is its data alone; an error stays an envelope.'];

const neverGone = new AbortController().signal;
const wentAway = 'The caller went away';

/** What is asked, all but the parameters, and how its door answers. */
interface Asked {
  readonly tool: string;
  readonly options: CallOptions;
  /** Answers tools of this source document alone. */
  readonly source?: ToolContract['source'];
  /** What is sent; the unified envelope when absent. */
  readonly shape?: (answer: Answer) => unknown;
}

export interface JsonCall extends Asked {
  readonly input: unknown;
  /** Whether the head of its request says all but its parameters. Default: no. */
  readonly isOfHead?: boolean;
}

/** How a call stands that was started, and waited for as long as its caller does. */
type Begun =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'answered'; readonly call: Call; readonly answer: Answer }
  /** It goes on without its caller. */
  | { readonly kind: 'accepted'; readonly call: Call; readonly resting: Resting | null }
  /** Its caller went away. */
  | { readonly kind: 'left'; readonly call: Call }
  /** It could not be waited for. */
  | { readonly kind: 'failed'; readonly call: Call; readonly error: unknown };

/** One call of a batch. Its options are read in its turn, so that wrong options fail this call alone. */
interface BatchedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly options: () => CallOptions;
  /** Its own trace id; the request's when null. */
  readonly traceId: string | null;
}

/** A call answered as JSON: with its result, or with 202 when the caller does not want to wait so long. */
@Injectable()
export class JsonDoor {
  readonly #begunBefore = new BegunBefore<Begun>();

  constructor(private readonly calls: Calls) {}

  async call(request: FastifyRequest, reply: FastifyReply, asked: JsonCall): Promise<void> {
    const { shape = envelopeOf, input } = asked;
    const begun = await (this.#begunBefore.take(request.facts) ?? this.#begin(request, asked, () => disconnected(reply)));
    if (begun.kind === 'refused') return sendAnswer(reply, begun.answer, shape(answerFor(request, begun.answer)));
    using call = begun.call;
    void reply.headers(call.headers);
    if (begun.kind === 'failed') throw begun.error;
    if (begun.kind === 'left') return;
    if (begun.kind === 'accepted') return sendAccepted(reply, acceptedOf(call, begun.resting), waitPreferenceOf(request.headers.prefer));
    if (call instanceof CachedCall) request.facts.repeatable = call.repeatable(input, formOf(languageOf(request), shape));
    if (asked.isOfHead && isPlain(begun, request.facts)) request.facts.ofHead = this.#ofHead(asked);
    sendAnswer(reply, begun.answer, shape(answerFor(request, begun.answer)));
  }

  /**
   * Starts a call, and waits for it as long as its caller does.
   * @param watch is called once it has to wait: the signal fires when the caller is gone
   */
  async #begin(request: KnownRequest, { tool, input, options, source }: JsonCall, watch: () => AbortSignal): Promise<Begun> {
    const preference = waitPreferenceOf(request.headers.prefer);
    const basics = callBasics(request);
    let call: Call;
    try {
      const waits = preference.kind === 'deadline';
      call = await this.calls.start({ ...basics, tool, input: () => input, options, waits, ...(source && { source }) });
    } catch (error) {
      return { kind: 'refused', answer: await this.calls.refused(error, { tool, facts: request.facts, options }) };
    }
    try {
      // One from the cache is there: nobody has to be watched while it is waited for.
      const gone = call.jobId === null ? neverGone : watch();
      const answer = await answerWithin(call, preference, gone);
      if (answer && !('rest' in answer)) return { kind: 'answered', call, answer };
      if (answer || !gone.aborted) return { kind: 'accepted', call, resting: answer };
      // A caller with an idempotency key or without patience may come back for the answer.
      const mayReturn = basics.idempotencyKey !== null || preference.kind === 'seconds';
      if (!mayReturn) await call.cancel(wentAway, { unlessJoined: true });
      return { kind: 'left', call };
    } catch (error) {
      return { kind: 'failed', call, error };
    }
  }

  #ofHead({ tool, options, source, shape }: Asked): CallOfHead {
    const asked: Asked = { tool, options, ...(source && { source }), ...(shape && { shape }) };
    return { hasIds: false, callIn: (body) => this.#callIn(body, asked) };
  }

  #callIn(body: unknown, asked: Asked): CallOfBody | null {
    const { input, debug, traceId } = parametersInBody(body);
    if (debug !== undefined || traceId !== null) return null;
    const call = { ...asked, input };
    return {
      begin: (request, watch) => {
        const begun = this.#begin(request, call, watch);
        return {
          answer: begun.then((one) => plainAnswer(one, request, call)),
          ...this.#begunBefore.hold(request.facts, begun, (one) => 'call' in one && one.call[Symbol.dispose]()),
        };
      },
    };
  }

  /** The result of one call of a batch, which waits for it until the signal fires: an envelope, or where it rests. It never throws. */
  async resultOf(request: FastifyRequest, call: BatchedCall, signal: AbortSignal): Promise<object> {
    const settled = await this.#settled(request, call, signal);
    return 'job_id' in settled ? settled : envelopeOf(answerFor(request, settled));
  }

  /** The answer of one call that does not rest. It never throws. */
  async answerOf(request: FastifyRequest, call: BatchedCall, signal: AbortSignal): Promise<Answer> {
    const settled = await this.#settled(request, call, signal);
    if (!('job_id' in settled)) return settled;
    const rests = new Refusal('CONFLICT', `The call rests; its job is ${settled.job_id}`);
    return this.calls.refused(rests, { tool: call.tool, facts: request.facts, options: null });
  }

  async #settled(request: FastifyRequest, { tool, input, ...batched }: BatchedCall, signal: AbortSignal): Promise<Answer | Accepted> {
    const facts: RequestFacts = { ...request.facts, traceId: batched.traceId ?? request.facts.traceId };
    let options: CallOptions | null = null;
    try {
      options = batched.options();
      const basics = { ...callBasics(request), facts, idempotencyKey: null, known: [] };
      using call = await this.calls.start({ ...basics, tool, input: () => input, options, waits: true });
      const answer = await call.answerOrRest(signal);
      if (answer) return 'rest' in answer ? acceptedOf(call, answer) : answer;
      await call.cancel(wentAway, { unlessJoined: true });
      return await this.calls.refused(new Refusal('CANCELLED', wentAway), { tool, facts, options });
    } catch (error) {
      return this.calls.refused(error, { tool, facts, options });
    }
  }
}

function plainAnswer(begun: Begun, request: KnownRequest, { shape = envelopeOf, input }: JsonCall): PlainAnswer | null {
  if (begun.kind === 'failed') throw begun.error;
  if (begun.kind !== 'answered' || !isPlain(begun, request.facts)) return null;
  const { call, answer } = begun;
  const repeatable = call instanceof CachedCall ? call.repeatable(input, formOf(languageOf(request), shape)) : null;
  return { text: JSON.stringify(shape(answerFor(request, answer))), repeatable };
}

/** Whether an answer is 200 and says all that its client is told: it has no version, and no header but the trace id of its request. */
function isPlain({ call, answer: { outcome } }: Extract<Begun, { kind: 'answered' }>, facts: RequestFacts): boolean {
  return outcome.ok && !outcome.unchanged && outcome.version === undefined && !hasOwnHeaders(call, facts);
}

/** An answer in a shape or a language of its own, to what comes again with the same headers. */
function formOf(language: Language, shape: Asked['shape'] = envelopeOf): RepeatedForm | null {
  if (shape === envelopeOf && language === 'en') return null;
  return { write: (answer) => ({ text: JSON.stringify(shape(answerIn(language, answer))) }) };
}

/** Null when the caller's preference is over, or the caller is gone. */
async function answerWithin(call: Call, preference: WaitPreference, gone: AbortSignal): Promise<Answer | Resting | null> {
  if (preference.kind === 'deadline' || call.jobId === null) return call.answerOrRest(gone);
  if (preference.seconds === 0) return call.resting;
  using limit = new TimeLimit(preference.seconds * 1_000, gone);
  // Awaited here: the limit ends with this block.
  return await call.answerOrRest(limit.signal);
}

function sendAccepted(reply: FastifyReply, accepted: Accepted, { kind }: WaitPreference): void {
  const applied = kind === 'seconds' ? { 'preference-applied': 'respond-async' } : {};
  void reply
    .status(202)
    .headers({ location: accepted.links.self, 'x-trace-id': accepted.trace_id, ...applied })
    .send(accepted);
}
