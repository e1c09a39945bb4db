import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type Language } from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import type { RequestFacts } from '../calls/call-facts.js';
import { envelopeOf, type Answer } from '../calls/answer.js';
import { CachedCall, type Call, type Resting } from '../calls/call.js';
import { Calls } from '../calls/calls.js';
import type { CallRequest } from '../calls/accepted-call.js';
import type { CallOptions } from '../calls/options.js';
import type { RepeatedForm } from '../calls/repeatable-call.js';
import { callBasics } from '../http/call-headers.js';
import { sendAnswer } from './call-request.js';
import { answerFor, answerIn, languageOf } from '../http/language.js';
import { disconnected } from '../http/query.js';
import { acceptedOf, type Accepted } from './accepted.js';
import type { RouteParameter } from '../http/route.js';
import { waitPreferenceOf, type WaitPreference } from './preference.js';

/** For the doors whose answer is JSON. */
export const resultParameter: RouteParameter = ['query', 'result', 'data: a success is its data alone; an error stays an envelope.'];

const neverGone = new AbortController().signal;
const wentAway = 'The caller went away';

export interface JsonCall {
  readonly tool: string;
  readonly input: unknown;
  readonly options: CallOptions;
  /** Answers tools of this source document alone. */
  readonly source?: CallRequest['source'];
  /** What is sent; the unified envelope when absent. */
  readonly shape?: (answer: Answer) => unknown;
}

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
  constructor(private readonly calls: Calls) {}

  async call(request: FastifyRequest, reply: FastifyReply, { tool, input, options, source, shape = envelopeOf }: JsonCall): Promise<void> {
    const preference = waitPreferenceOf(request.headers.prefer);
    const basics = callBasics(request);
    let started: Call;
    try {
      const waits = preference.kind === 'deadline';
      started = await this.calls.start({ ...basics, tool, input: () => input, options, waits, ...(source && { source }) });
    } catch (error) {
      const refused = await this.calls.refused(error, { tool, facts: request.facts, options });
      return sendAnswer(reply, refused, shape(answerFor(request, refused)));
    }
    using call = started;
    void reply.headers(call.headers);
    // One from the cache is there: nobody has to be watched while it is waited for.
    const gone = call.jobId === null ? neverGone : disconnected(reply);
    const answer = await answerWithin(call, preference, gone);
    if (answer && !('rest' in answer)) {
      if (call instanceof CachedCall) request.facts.repeatable = call.repeatable(input, formOf(shape, languageOf(request)));
      return sendAnswer(reply, answer, shape(answerFor(request, answer)));
    }
    if (answer || !gone.aborted) return sendAccepted(reply, acceptedOf(call, answer), preference);
    // A caller with an idempotency key or without patience may come back for the answer.
    const mayReturn = basics.idempotencyKey !== null || preference.kind === 'seconds';
    if (!mayReturn) await call.cancel(wentAway, { unlessJoined: true });
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

/** An answer in a shape or a language of its own, to what comes again with the same headers. */
function formOf(shape: (answer: Answer) => unknown, language: Language): RepeatedForm | null {
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
