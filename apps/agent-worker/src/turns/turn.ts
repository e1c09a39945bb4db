// One turn of a conversation, from its message to its end: its context is loaded, the agent runs, its output goes to the log of the
// job, and question and answer are stored.
import {
  inputWait,
  iterationsOf,
  principal,
  type AgentOutput,
  type chatTurn,
  type TokenUsage,
  type ToolInput,
  type ToolOutput,
} from '#lib/contracts';
import type { TurnKey } from '#lib/conversations';
import type { Logger } from '#lib/platform';
import type { SkillLibrary } from '#lib/skills';
import { mintTurnToken, type QuotaTracker, type Sealer } from '#lib/transport';
import type { HandlerContext } from '#lib/handlers';
import { CoreAgent, type AgentContext } from '../agent/core-agent.js';
import type { LocalTools } from '../agent/local-tools.js';
import { trimHistory } from '../agent/messages.js';
import { TurnToolbox } from '../agent/turn-toolbox.js';
import type { Authority, GatewayClient, ToolRest } from '../gateway-client.js';
import type { LocalServices } from '../local-services.js';
import type { ConfiguredModel } from '../model/configured-model.js';
import { ModelError } from '../model/model-error.js';
import type { TurnStore } from './guest-turn-store.js';
import type { OutputWriter } from './output-writer.js';
import { questionFirst } from './question-first.js';
import { runSubAgents } from './sub-agents.js';
import { TurnTranscript } from './turn-transcript.js';
import type { UserFacts } from './user-facts.js';

export type TurnInput = ToolInput<typeof chatTurn>;
export type TurnOutput = ToolOutput<typeof chatTurn>;
export type TurnContext = HandlerContext<LocalServices> & { readonly error: (literal: 'agent-error', message: string) => Error };

export interface TurnServices {
  readonly model: ConfiguredModel;
  /** The longest that the model may send nothing, ms. */
  readonly idleTimeoutMs: number;
  /** Tokens of earlier turns that the model is shown. */
  readonly historyTokens: number;
  /** The longest that a turn waits for one tool, ms. */
  readonly toolTimeoutMs: number;
  /** Of a tool's result that the model reads. */
  readonly resultCharacters: number;
  readonly skills: SkillLibrary;
  readonly local: LocalTools;
  readonly gateway: GatewayClient;
  readonly sealer: Sealer;
  readonly quota: QuotaTracker;
  /** Where turns of users are stored, and those of guests. */
  readonly users: TurnStore;
  readonly guests: TurnStore;
  readonly userFacts: UserFacts;
  /** Whether the record of a call is there: it is deleted with the conversation of its turn. */
  readonly hasRecord: (jobId: string) => Promise<boolean>;
  readonly log: Logger;
}

interface TurnRequest {
  readonly input: TurnInput;
  readonly context: TurnContext;
  /** Outputs of an earlier attempt of the same job, which was cut off. */
  readonly earlier: readonly AgentOutput[];
  readonly writer: OutputWriter;
}

/** After the end of a rest, until whoever ends calls about which nobody decided has done so. */
const restGraceMs = 2_000;
/** The life of a turn's token: a little longer than a turn may take. */
const tokenLifeMs = 310_000;

/** The gateway checks the owner first; two users who begin one conversation at the same time both pass its check. */
class NotOwnerError extends Error {
  override readonly name = 'NotOwnerError';

  constructor() {
    super('The conversation belongs to somebody else; begin a new one');
  }
}

class DeletedError extends Error {
  override readonly name = 'DeletedError';

  constructor() {
    super('The conversation was deleted');
  }
}

/** Used for one attempt. A second attempt of the same job is another Turn, made with the outputs of the first. */
export class Turn {
  readonly #services: TurnServices;
  readonly #request: TurnRequest;
  readonly #authority: Authority;
  readonly #store: TurnStore;
  readonly #key: TurnKey;
  readonly #transcript: TurnTranscript;
  /** True once it has asked to rest: another attempt goes on, and stores its end. */
  #rests = false;
  /** Nearest to when the conversation was counted. */
  readonly #beganAt = new Date();

  constructor(services: TurnServices, request: TurnRequest) {
    const { caller, signal, traceId, effectKey: jobId } = request.context;
    const { mode, conversation_id: conversationId } = request.input;
    const token = mintTurnToken(services.sealer, { jobId, caller, conversationId, expiresAt: Date.now() + tokenLifeMs });
    this.#services = services;
    this.#request = request;
    this.#authority = { token, caller, jobId, traceId, signal };
    this.#store = mode === 'guest' ? services.guests : services.users;
    this.#key = { tenantId: caller.tenantId, owner: principal(caller), conversationId, jobId };
    this.#transcript = new TurnTranscript(request.earlier);
  }

  /** Throws the refusal `agent-error` when the model fails; a fault of ours is thrown as it is. */
  async run(): Promise<TurnOutput> {
    const { input, context, earlier, writer } = this.#request;
    const { messageStored, agentContext } = this.#begin();
    let storeFault: { readonly error: unknown } | null = null;
    messageStored.catch((error: unknown) => (storeFault = { error }));
    try {
      const run = this.#createAgent(messageStored).run(input.message, await agentContext, earlier);
      const result = await forEachOutput(run, (output) => {
        context.signal.throwIfAborted();
        // The user must not see the beginning of an answer that cannot be stored.
        if (storeFault && this.#transcript.isEmpty) throw storeFault.error;
        this.#transcript.add(output);
        writer.push(output);
      });
      await writer.flush();
      await messageStored;
      const { usage } = this.#transcript;
      const { content, steps, finishReason: finish_reason, iterations } = result;
      await this.#store.end(this.#key, { state: 'completed', content, steps, usage });
      return { conversation_id: this.#key.conversationId, content, finish_reason, iterations, usage };
    } catch (error) {
      await writer.flush().catch(() => undefined);
      if (!this.#rests) await this.#storeEarlyEnd(messageStored);
      throw await this.#toReportedError(error);
    }
  }

  /** Stores the message and loads the context. The model waits for the context alone; the end of the turn waits for both. */
  #begin(): { readonly messageStored: Promise<void>; readonly agentContext: Promise<AgentContext> } {
    const { input, context } = this.#request;
    const store = async () => {
      // A turn that has ended meanwhile may have been stopped by the deletion of its conversation, which must not come back.
      context.signal.throwIfAborted();
      if (!(await this.#store.begin(this.#key, input.message, input.regenerate))) throw new NotOwnerError();
      if (await this.#services.hasRecord(this.#key.jobId)) return;
      await this.#store.takeBack(this.#key);
      throw new DeletedError();
    };
    const load = () => context.network(() => this.#loadContext());
    const begun = input.regenerate ? storeThenLoad(store, load) : loadThenStore(store, load);
    // Both are awaited later, and the turn may end before.
    for (const promise of Object.values(begun)) promise.catch(() => undefined);
    return begun;
  }

  async #loadContext(): Promise<AgentContext> {
    const { userFacts, historyTokens, resultCharacters, skills } = this.#services;
    const { input } = this.#request;
    const { caller } = this.#authority;
    const isGuest = input.mode === 'guest';
    const [history, profile, skillData] = await Promise.all([
      input.begins ? [] : this.#store.history(this.#key),
      isGuest ? {} : userFacts.profile(this.#authority),
      isGuest ? {} : userFacts.skillData(caller),
      // They look at their folders once a second: beside the rest, so that the question needs nothing more.
      skills.current(),
    ]);
    const past = trimHistory(history, historyTokens, resultCharacters);
    return { userId: caller.userId, userTier: caller.tier, profile, skillData, history: past };
  }

  /**
   * Rests until somebody has answered what one of its calls asks. The conversation has what was said so far, should nothing follow.
   * Throws what ends the attempt.
   */
  async #rest(rests: readonly ToolRest[], messageStored: Promise<void>): Promise<never> {
    const { writer, context } = this.#request;
    await writer.flush();
    await messageStored;
    await this.#store.end(this.#key, this.#transcript.atRest());
    this.#rests = true;
    const [first, ...others] = rests.map(
      ({ inputRequest, until }) =>
        ({ name: inputWait(inputRequest), reason: 'event', until: Math.max(until, Date.now()) + restGraceMs, inputRequest }) as const,
    );
    if (!first) throw new RangeError('nothing to rest for');
    const ended = rejectedOnAbort(context.signal);
    void context.rest(first, ...others);
    return ended;
  }

  #createAgent(messageStored: Promise<void>): CoreAgent {
    const { model, idleTimeoutMs, skills, local, gateway, userFacts, toolTimeoutMs, resultCharacters } = this.#services;
    const { mode } = this.#request.input;
    const { signal, caller } = this.#authority;
    const onUsage = (usage: TokenUsage, micros: number) => this.#recordUsage(usage, micros);
    const agent = { model, signal, idleTimeoutMs, resultCharacters, onUsage };
    const toolbox: TurnToolbox = new TurnToolbox({
      skills,
      local,
      gateway,
      authority: this.#authority,
      toolTimeoutMs,
      resultCharacters,
      mode,
      runSubAgents: (names, topic, state) =>
        runSubAgents(names, topic, { state, parts: { skills, agent, toolsOf: (skill) => toolbox.forSubAgent(skill) } }),
      saveSkillData: (skill, data) => void (mode === 'guest' || userFacts.saveSkillData(caller, skill, data)),
    });
    const rest = async (rests: readonly ToolRest[]) => this.#rest(rests, messageStored);
    return new CoreAgent({ ...agent, toolbox, rest, maxIterations: iterationsOf[mode] });
  }

  #recordUsage(usage: TokenUsage, costMicros: number): void {
    const { quota, log, model } = this.#services;
    const { caller, traceId } = this.#authority;
    const { context } = this.#request;
    this.#transcript.addUsage(usage);
    context.asksModel(model.model.modelId);
    if (costMicros > 0) context.cost(costMicros);
    quota
      .record(caller, usage.input_tokens + usage.output_tokens)
      .catch((error: unknown) => log.warn({ event: 'usage-lost', trace_id: traceId, err: error }, 'used tokens were not counted'));
  }

  /** What the user has read before a failure or a stop stays in the conversation. */
  async #storeEarlyEnd(messageStored: Promise<void>): Promise<void> {
    try {
      await messageStored;
      await this.#store.end(this.#key, this.#transcript.earlyEnd(this.#authority.signal.aborted ? 'stopped' : 'failed'));
    } catch (error) {
      if (error instanceof NotOwnerError || error instanceof DeletedError || error === this.#authority.signal.reason) return;
      this.#services.log.warn({ event: 'turn-lost', job_id: this.#key.jobId, err: error }, 'the answer of a turn could not be stored');
    }
  }

  /** The error as the caller sees it. A fault of ours before the user has seen anything gives the conversation back (C-56). */
  async #toReportedError(error: unknown): Promise<unknown> {
    const { quota, log } = this.#services;
    const { context } = this.#request;
    if (context.signal.aborted) return error;
    if (error instanceof ModelError) {
      const facts = { event: 'model-failed', job_id: this.#key.jobId, trace_id: context.traceId, err: error.cause ?? error };
      log.warn(facts, 'the model failed in a turn');
      return context.error('agent-error', error.message);
    }
    if (error instanceof NotOwnerError || error instanceof DeletedError) return context.error('agent-error', error.message);
    if (this.#transcript.isEmpty) await quota.refund(context.caller, this.#beganAt).catch(() => undefined);
    return error;
  }
}

async function rejectedOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Runs a generator to its end and gives what it returns. */
async function forEachOutput<Item, Result>(run: AsyncGenerator<Item, Result>, take: (item: Item) => void): Promise<Result> {
  let next = await run.next();
  for (; !next.done; next = await run.next()) take(next.value);
  return next.value;
}

/** The answer that is replaced must be marked before the history is read. */
function storeThenLoad<Context>(store: () => Promise<void>, load: () => Promise<Context>) {
  const messageStored = store();
  return { messageStored, agentContext: messageStored.then(load) };
}

/** The model waits for the context, so it is loaded first; and the model is asked before the message is stored. */
function loadThenStore<Context>(store: () => Promise<void>, load: () => Promise<Context>) {
  const agentContext = load();
  return { agentContext, messageStored: agentContext.then(questionFirst, questionFirst).then(store) };
}
