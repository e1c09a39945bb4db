// One turn of a conversation, from its message to its end: what is known is gathered, the agent runs, what it says goes to the
// log of the job, and what was said is kept.
import { iterationsOf, parseAgentOutput, type AgentOutput, type chatTurn, type ToolInput, type ToolOutput } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { SkillLibrary } from '#lib/skills';
import { mintTurnToken, type QuotaTracker, type Sealer } from '#lib/transport';
import type { HandlerContext } from '#lib/worker';
import { CoreAgent, type AgentContext, type AgentResult } from '../agent/core-agent.js';
import type { LocalTools } from '../agent/local-tools.js';
import { trimHistory } from '../agent/messages.js';
import { earlierSteps } from '../agent/step.js';
import { TurnToolbox } from '../agent/turn-toolbox.js';
import { ModelError } from '../model/model-error.js';
import type { ConfiguredModel } from '../model/model-from.js';
import type { LocalServices } from '../local-services.js';
import type { Authority, ToolsDoor } from '../tools-door.js';
import type { KnownUser } from './known-user.js';
import { OutputWriter } from './output-writer.js';
import { runSubAgents } from './sub-agents.js';
import type { TurnPlace, TurnStore } from './turn-store.js';

type Input = ToolInput<typeof chatTurn>;
type Output = ToolOutput<typeof chatTurn>;
type Context = HandlerContext<LocalServices> & { readonly error: (literal: 'agent-error', message: string) => Error };

/** A little longer than a turn may take. */
const authorityMs = 310_000;

interface TurnsParts {
  readonly model: ConfiguredModel;
  readonly silenceMs: number;
  readonly historyTokens: number;
  readonly skills: SkillLibrary;
  readonly local: LocalTools;
  readonly door: ToolsDoor;
  readonly sealer: Sealer;
  readonly quota: QuotaTracker;
  readonly users: TurnStore;
  readonly guests: TurnStore;
  readonly known: KnownUser;
  readonly log: Logger;
}

export class Turns {
  readonly #parts: TurnsParts;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Throws the refusal `agent-error` when the model fails; faults of ours are thrown as they are. */
  async run(input: Input, context: Context): Promise<Output> {
    const place = { tenantId: context.caller.tenantId, conversationId: input.conversation_id, jobId: context.effectKey };
    const store = input.mode === 'guest' ? this.#parts.guests : this.#parts.users;
    const writer = new OutputWriter(context.output);
    const outputs = (await context.earlierOutput()).map(parseAgentOutput);
    const told = [...outputs];
    // The model need not wait until the message is kept; the end does.
    const noted = store.begin(place, input.message, input.regenerate);
    noted.catch(() => undefined);
    let total = { input_tokens: 0, output_tokens: 0 };
    try {
      // What is replaced must be marked before the history is read.
      if (input.regenerate) await noted;
      const agent = this.#agent(input, context, (usage) => {
        total = { input_tokens: total.input_tokens + usage.input_tokens, output_tokens: total.output_tokens + usage.output_tokens };
      });
      const run = agent.run(input.message, await this.#context(input, context, place), outputs);
      const result = await follow(run, (output) => {
        context.signal.throwIfAborted();
        told.push(output);
        writer.push(output);
      });
      await writer.flush();
      await noted;
      await store.end(place, { state: 'completed', content: result.content, steps: result.steps, usage: total });
      return {
        conversation_id: input.conversation_id,
        content: result.content,
        finish_reason: result.finishReason,
        iterations: result.iterations,
        usage: total,
      };
    } catch (error) {
      const isStopped = context.signal.aborted;
      await writer.flush().catch(() => undefined);
      await this.#keep({ store, place, told, usage: total, state: isStopped ? 'stopped' : 'failed', noted });
      if (isStopped || !(error instanceof ModelError)) {
        if (!isStopped && told.every(({ type }) => type === 'thinking'))
          await this.#parts.quota.refund(context.caller).catch(() => undefined);
        throw error;
      }
      this.#parts.log.warn(
        { event: 'model-failed', job_id: place.jobId, trace_id: context.traceId, err: error.cause ?? error },
        'the model failed in a turn',
      );
      throw context.error('agent-error', error.message);
    }
  }

  #agent(input: Input, context: Context, onTokens: (usage: AgentResult['usage']) => void): CoreAgent {
    const { model, silenceMs, skills, local, door, quota, known, log } = this.#parts;
    const { signal, caller, traceId, effectKey: jobId } = context;
    const authority: Authority = {
      token: mintTurnToken(this.#parts.sealer, { jobId, caller, expiresAt: Date.now() + authorityMs }),
      caller,
      jobId,
      traceId,
      signal,
    };
    const onUsage = (usage: AgentResult['usage']) => {
      onTokens(usage);
      quota
        .record(caller, usage.input_tokens + usage.output_tokens)
        .catch((error: unknown) => log.warn({ event: 'usage-lost', trace_id: traceId, err: error }, 'used tokens were not counted'));
    };
    const agent = { model, signal, silenceMs, onUsage };
    const toolbox: TurnToolbox = new TurnToolbox({
      skills,
      local,
      door,
      authority,
      mode: input.mode,
      analyse: (names, topic, turn) =>
        runSubAgents(names, topic, { turn, parts: { skills, agent, toolsOf: (skill) => toolbox.ofSkill(skill) } }),
      learn: (skill, data) => void (input.mode === 'guest' || known.learn(caller, skill, data)),
    });
    return new CoreAgent({ ...agent, toolbox, maxIterations: iterationsOf[input.mode] });
  }

  async #context(input: Input, context: Context, place: TurnPlace): Promise<AgentContext> {
    const { known, users, guests, historyTokens, sealer } = this.#parts;
    const { caller, signal, traceId, effectKey: jobId } = context;
    const isGuest = input.mode === 'guest';
    const authority = {
      token: mintTurnToken(sealer, { jobId, caller, expiresAt: Date.now() + authorityMs }),
      caller,
      jobId,
      traceId,
      signal,
    };
    const [history, profile, skillData] = await context.network(() =>
      Promise.all([
        (isGuest ? guests : users).history(place),
        isGuest ? {} : known.profile(authority),
        isGuest ? {} : known.skillData(caller),
      ]),
    );
    return { userId: caller.userId, userTier: caller.tier, profile, skillData, history: trimHistory(history, historyTokens) };
  }

  /** What was said before a failure or a stop stays in the conversation. */
  async #keep(turn: {
    readonly store: TurnStore;
    readonly place: TurnPlace;
    readonly told: readonly AgentOutput[];
    readonly usage: AgentResult['usage'];
    readonly state: 'failed' | 'stopped';
    readonly noted: Promise<void>;
  }): Promise<void> {
    const { store, place, told, usage, state } = turn;
    const content = told.map((output) => (output.type === 'content' ? output.content : '')).join('');
    const { steps } = earlierSteps(told);
    const rest = content.slice(steps.reduce((sum, { text }) => sum + text.length, 0));
    const last = rest
      ? [{ text: rest, calls: [], results: [], finishReason: 'other' as const, usage: { input_tokens: 0, output_tokens: 0 } }]
      : [];
    try {
      await turn.noted;
      await store.end(place, { state, content, steps: [...steps, ...last], usage });
    } catch (error) {
      this.#parts.log.warn({ event: 'turn-lost', job_id: place.jobId, err: error }, 'what a turn said could not be kept');
    }
  }
}

/** Runs a generator to its end, and gives what it returned. */
async function follow<Item, Result>(run: AsyncGenerator<Item, Result>, take: (item: Item) => void): Promise<Result> {
  let next = await run.next();
  for (; !next.done; next = await run.next()) take(next.value);
  return next.value;
}
