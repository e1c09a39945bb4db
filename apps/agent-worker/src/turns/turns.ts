// One turn of a conversation, from its message to its end: what is known is gathered, the agent runs, what it says goes to the
// log of the job, and what was said is kept.
import {
  iterationsOf,
  parseAgentOutput,
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
import type { HandlerContext } from '#lib/worker';
import { CoreAgent, type AgentContext } from '../agent/core-agent.js';
import type { LocalTools } from '../agent/local-tools.js';
import { trimHistory } from '../agent/messages.js';
import { TurnToolbox } from '../agent/turn-toolbox.js';
import { ModelError } from '../model/model-error.js';
import type { ConfiguredModel } from '../model/configured-model.js';
import type { LocalServices } from '../local-services.js';
import type { Authority, GatewayClient } from '../gateway-client.js';
import type { KnownUser } from './known-user.js';
import { OutputWriter, paceMsOf } from './output-writer.js';
import { runSubAgents } from './sub-agents.js';
import { Told } from './turn-transcript.js';
import type { TurnStore } from './guest-turn-store.js';

type Input = ToolInput<typeof chatTurn>;
type Output = ToolOutput<typeof chatTurn>;
type Context = HandlerContext<LocalServices> & { readonly error: (literal: 'agent-error', message: string) => Error };

/** A little longer than a turn may take. */
const authorityMs = 310_000;

interface TurnsParts {
  readonly model: ConfiguredModel;
  readonly idleTimeoutMs: number;
  readonly historyTokens: number;
  readonly toolMs: number;
  readonly skills: SkillLibrary;
  readonly local: LocalTools;
  readonly gateway: GatewayClient;
  readonly sealer: Sealer;
  readonly quota: QuotaTracker;
  readonly users: TurnStore;
  readonly guests: TurnStore;
  readonly known: KnownUser;
  readonly log: Logger;
}

/** One turn while it runs. */
interface Running {
  readonly input: Input;
  readonly context: Context;
  readonly authority: Authority;
  readonly store: TurnStore;
  readonly place: TurnKey;
  readonly told: Told;
  readonly writer: OutputWriter;
}

/** The gateway checks the owner first; two users who begin one conversation at the same time both pass its check. */
class NotOwnerError extends Error {
  override readonly name = 'NotOwnerError';

  constructor() {
    super('The conversation belongs to somebody else; begin a new one');
  }
}

export class Turns {
  readonly #parts: TurnsParts;
  #open = 0;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Throws the refusal `agent-error` when the model fails; faults of ours are thrown as they are. */
  async run(input: Input, context: Context): Promise<Output> {
    this.#open += 1;
    try {
      const earlier = (await context.earlierOutput()).map(parseAgentOutput);
      return await this.#answer(this.#running(input, context, earlier), earlier);
    } finally {
      this.#open -= 1;
    }
  }

  async #answer(turn: Running, earlier: readonly AgentOutput[]): Promise<Output> {
    const { input, context, store, place, told, writer } = turn;
    const { noted, known } = this.#begin(turn);
    let lost: { readonly error: unknown } | null = null;
    noted.catch((error: unknown) => (lost = { error }));
    try {
      const run = this.#agent(turn).run(input.message, await known, earlier);
      const result = await follow(run, (output) => {
        context.signal.throwIfAborted();
        // An answer that cannot be kept is better not begun.
        if (lost && told.isNothing) throw lost.error;
        told.add(output);
        writer.push(output);
      });
      await writer.flush();
      await noted;
      const { content, steps, finishReason: finish_reason, iterations } = result;
      await store.end(place, { state: 'completed', content, steps, usage: told.usage });
      return { conversation_id: place.conversationId, content, finish_reason, iterations, usage: told.usage };
    } catch (error) {
      await writer.flush().catch(() => undefined);
      await this.#keep(turn, noted);
      throw await this.#asTold(error, turn);
    }
  }

  #running(input: Input, context: Context, earlier: readonly AgentOutput[]): Running {
    const { caller, signal, traceId, effectKey: jobId } = context;
    const token = mintTurnToken(this.#parts.sealer, { jobId, caller, expiresAt: Date.now() + authorityMs });
    return {
      input,
      context,
      authority: { token, caller, jobId, traceId, signal },
      store: input.mode === 'guest' ? this.#parts.guests : this.#parts.users,
      place: { tenantId: caller.tenantId, owner: principal(caller), conversationId: input.conversation_id, jobId },
      told: new Told(earlier),
      writer: new OutputWriter(context.output, () => paceMsOf(this.#open)),
    };
  }

  /** Gathers what is known and notes the message. The model waits for what is known alone; the end waits for the note. */
  #begin(turn: Running): { readonly noted: Promise<void>; readonly known: Promise<AgentContext> } {
    const { store, place, input } = turn;
    const note = async () => {
      if (!(await store.begin(place, input.message, input.regenerate))) throw new NotOwnerError();
    };
    const gather = () => turn.context.network(() => this.#known(turn));
    const begun = input.regenerate ? noteFirst(note, gather) : gatherFirst(note, gather);
    // Both are awaited later, and a turn may end before.
    for (const promise of Object.values(begun)) promise.catch(() => undefined);
    return begun;
  }

  async #known({ input, authority, store, place }: Running): Promise<AgentContext> {
    const { known, historyTokens } = this.#parts;
    const { caller } = authority;
    const isGuest = input.mode === 'guest';
    const [history, profile, skillData] = await Promise.all([
      input.begins ? [] : store.history(place),
      isGuest ? {} : known.profile(authority),
      isGuest ? {} : known.skillData(caller),
    ]);
    return { userId: caller.userId, userTier: caller.tier, profile, skillData, history: trimHistory(history, historyTokens) };
  }

  #agent({ input, authority, told }: Running): CoreAgent {
    const { model, idleTimeoutMs, skills, local, gateway, quota, known, log, toolMs } = this.#parts;
    const { signal, caller, traceId } = authority;
    const onUsage = (usage: TokenUsage) => {
      told.spend(usage);
      quota
        .record(caller, usage.input_tokens + usage.output_tokens)
        .catch((error: unknown) => log.warn({ event: 'usage-lost', trace_id: traceId, err: error }, 'used tokens were not counted'));
    };
    const agent = { model, signal, idleTimeoutMs, onUsage };
    const toolbox: TurnToolbox = new TurnToolbox({
      skills,
      local,
      gateway,
      authority,
      toolMs,
      mode: input.mode,
      analyse: (names, topic, turn) =>
        runSubAgents(names, topic, { turn, parts: { skills, agent, toolsOf: (skill) => toolbox.ofSkill(skill) } }),
      learn: (skill, data) => void (input.mode === 'guest' || known.learn(caller, skill, data)),
    });
    return new CoreAgent({ ...agent, toolbox, maxIterations: iterationsOf[input.mode] });
  }

  /** What was said before a failure or a stop stays in the conversation. */
  async #keep({ store, place, told, context }: Running, noted: Promise<void>): Promise<void> {
    try {
      await noted;
      await store.end(place, told.cutOff(context.signal.aborted ? 'stopped' : 'failed'));
    } catch (error) {
      this.#parts.log.warn({ event: 'turn-lost', job_id: place.jobId, err: error }, 'what a turn said could not be kept');
    }
  }

  /** What a failure is to the user. One of ours, before anything was said, costs no conversation (C-56). */
  async #asTold(error: unknown, { context, place, told }: Running): Promise<unknown> {
    const { quota, log } = this.#parts;
    if (context.signal.aborted) return error;
    if (error instanceof ModelError) {
      const facts = { event: 'model-failed', job_id: place.jobId, trace_id: context.traceId, err: error.cause ?? error };
      log.warn(facts, 'the model failed in a turn');
      return context.error('agent-error', error.message);
    }
    if (error instanceof NotOwnerError) return context.error('agent-error', error.message);
    if (told.isNothing) await quota.refund(context.caller).catch(() => undefined);
    return error;
  }
}

/** Runs a generator to its end, and gives what it returned. */
async function follow<Item, Result>(run: AsyncGenerator<Item, Result>, take: (item: Item) => void): Promise<Result> {
  let next = await run.next();
  for (; !next.done; next = await run.next()) take(next.value);
  return next.value;
}

/** What is replaced must be marked before the history is read. */
function noteFirst<Known>(note: () => Promise<void>, gather: () => Promise<Known>) {
  const noted = note();
  return { noted, known: noted.then(gather) };
}

/** The note does not stand in the way of what the model waits for. */
function gatherFirst<Known>(note: () => Promise<void>, gather: () => Promise<Known>) {
  const known = gather();
  return { known, noted: known.then(note, note) };
}
