import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#lib/contracts';
import { TimeLimit } from '#lib/platform';
import { envelopeOf, type Answer, type Answers } from '../invocations/answers.js';
import type { Finishing } from '../invocations/finishing.js';
import type { Invocation, InvocationRequest, Invoker } from '../invocations/invoker.js';
import type { CallOptions } from '../invocations/options.js';
import { toRefusal } from '../http/problem.js';
import type { RequestFacts } from '../http/request-facts.js';
import { callBasics, disconnected, sendAnswer } from './call-request.js';
import { jobLinks } from './links.js';
import { patienceIn, type Patience } from './preference.js';

export interface JsonCall {
  readonly tool: string;
  readonly input: unknown;
  readonly options: CallOptions;
  /** Answers tools of this source document alone. */
  readonly source?: InvocationRequest['source'];
  /** Its own trace id, where one request makes several calls. */
  readonly traceId?: string | null;
  /** Which envelope; the unified one when absent. */
  readonly shape?: (answer: Answer) => unknown;
}

interface JsonDoorParts {
  readonly invoker: Invoker;
  readonly answers: Answers;
  readonly finishing: Finishing;
}

/** Its options are read when it is its turn: a wrong one is that call's fault alone. */
type OneOfMany = Omit<JsonCall, 'options'> & { readonly options: () => CallOptions };
type Accepted = Extract<Invocation, { kind: 'accepted' }>;

/** A call answered as JSON: with its result, or with 202 when the caller does not want to wait so long. */
export class JsonDoor {
  readonly #parts: JsonDoorParts;

  constructor(parts: JsonDoorParts) {
    this.#parts = parts;
  }

  async call(request: FastifyRequest, reply: FastifyReply, call: JsonCall): Promise<void> {
    const shape = call.shape ?? envelopeOf;
    const wishes = { ...call.options, input: call.input };
    const patience = patienceIn(request.headers.prefer);
    let invocation: Invocation;
    try {
      invocation = await this.#parts.invoker.invoke({
        ...call,
        input: () => call.input,
        ...callBasics(request),
        waits: patience.kind === 'deadline',
      });
    } catch (error) {
      const refused = await this.#parts.finishing.finish(this.#refused(request.facts, call, error), wishes);
      return sendAnswer(reply, refused, shape(refused));
    }
    void reply.headers(this.#parts.answers.lifecycleHeaders(invocation.contract));
    if (invocation.kind === 'cached') {
      const answer = await this.#parts.finishing.finish(this.#parts.answers.ofCached(invocation, request.facts), wishes);
      return sendAnswer(reply, answer, shape(answer));
    }
    using _follower = invocation.follower;
    if (invocation.replayed) void reply.header('idempotent-replayed', 'true');
    const gone = disconnected(reply);
    const answer = await this.#patiently(invocation, { caller: callBasics(request).caller, patience, gone });
    if (answer) {
      const whole = await this.#parts.finishing.finish(answer, wishes);
      return sendAnswer(reply, whole, shape(whole));
    }
    if (!gone.aborted) return sendAccepted(reply, invocation, request);
    const mayReturn = request.headers['idempotency-key'] !== undefined || patience.kind === 'seconds';
    if (!mayReturn) await this.#parts.answers.abandon(invocation);
  }

  async #patiently(
    invocation: Accepted,
    { caller, patience, gone }: { caller: Caller; patience: Patience; gone: AbortSignal },
  ): Promise<Answer | null> {
    if (patience.kind === 'deadline') return this.#parts.answers.wait(invocation, caller, gone);
    if (patience.seconds === 0) return null;
    using limit = new TimeLimit(patience.seconds * 1_000, gone);
    // Awaited here: the limit ends with this block.
    return await this.#parts.answers.wait(invocation, caller, limit.signal);
  }

  /** The outcome of one call of many; the caller waits for it. */
  async outcomeOf(request: FastifyRequest, call: OneOfMany, signal: AbortSignal): Promise<Answer> {
    const facts = { ...request.facts, traceId: call.traceId ?? request.facts.traceId };
    const basics = { ...callBasics(request), facts, idempotencyKey: null, known: [] };
    let options: CallOptions;
    try {
      options = call.options();
    } catch (error) {
      return this.#refused(facts, call, error);
    }
    const answer = async (): Promise<Answer> => {
      const invocation = await this.#parts.invoker.invoke({ ...call, input: () => call.input, options, ...basics, waits: true });
      if (invocation.kind === 'cached') return this.#parts.answers.ofCached(invocation, facts);
      using _follower = invocation.follower;
      const ended = await this.#parts.answers.wait(invocation, basics.caller, signal);
      return ended ?? this.#refused(facts, call, new Error('the caller is gone'));
    };
    const given = await answer().catch((error: unknown) => this.#refused(facts, call, error));
    return this.#parts.finishing.finish(given, { ...options, input: call.input });
  }

  #refused({ traceId }: RequestFacts, call: Pick<JsonCall, 'tool'>, thrown: unknown): Answer {
    const { error } = toRefusal(thrown);
    const toolName = this.#parts.invoker.catalog.find(call.tool.split('@')[0] ?? '')?.name ?? call.tool.slice(0, 64);
    return { outcome: { ok: false, error }, facts: { toolName, traceId, timestamp: Date.now() } };
  }
}

function sendAccepted(reply: FastifyReply, { jobId, head, contract }: Accepted, request: FastifyRequest): void {
  const links = jobLinks(jobId);
  const traceId = head?.traceId ?? request.facts.traceId;
  void reply
    .status(202)
    .headers({ location: links.self, 'x-trace-id': traceId, 'preference-applied': 'respond-async' })
    .send({ job_id: jobId, state: 'waiting', tool_name: contract.name, trace_id: traceId, links });
}
