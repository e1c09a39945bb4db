// The agent: build messages → call the model → run all its tool calls → again, until it has answered (VL-09…11).
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { AgentOutput, AgentToolResult, FinishReason, Tier, TokenUsage } from '#lib/contracts';
import { callModel, type ModelCall } from '../model/call-model.js';
import { ModelError } from '../model/model-error.js';
import type { ConfiguredModel } from '../model/model-from.js';
import { buildMessages, type PastTurn } from './messages.js';
import { earlierSteps, hasReached, isAnswered, type Step } from './step.js';

/** Everything that a run knows of its user (VL-04). A guest's profile and skill data are empty. */
export interface AgentContext {
  readonly userId: string | null;
  readonly userTier: Tier;
  readonly profile: Readonly<Record<string, unknown>>;
  /** By skill. */
  readonly skillData: Readonly<Record<string, unknown>>;
  /** Oldest first, trimmed to its budget. */
  readonly history: readonly PastTurn[];
}

/** What the agent may do, and what it is told to be, at one step of a run. */
export interface Toolbox {
  readonly systemPrompt: (context: AgentContext, steps: readonly Step[]) => Promise<string>;
  readonly tools: (steps: readonly Step[]) => Promise<readonly LanguageModelV4FunctionTool[]>;
  /** Never throws for what a tool does: a failing tool is a result that says so (VL-39). */
  readonly run: (call: ModelCall, turn: ToolTurn) => Promise<Readonly<Record<string, unknown>>>;
}

export interface ToolTurn {
  readonly context: AgentContext;
  readonly message: string;
  readonly steps: readonly Step[];
}

export interface AgentResult {
  readonly content: string;
  readonly finishReason: FinishReason;
  readonly iterations: number;
  /** Of the calls of this run alone: tools count their own. */
  readonly usage: TokenUsage;
  readonly steps: readonly Step[];
}

interface AgentParts {
  readonly model: ConfiguredModel;
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
  readonly silenceMs: number;
  /** Calls of the model at most; the last is made without tools. Default 10. */
  readonly maxIterations?: number;
  /** Told of the tokens of each call as soon as they are known. */
  readonly onUsage?: (usage: TokenUsage) => void;
}

export class CoreAgent {
  readonly #parts: AgentParts & { readonly maxIterations: number };

  constructor(parts: AgentParts) {
    this.#parts = { ...parts, maxIterations: parts.maxIterations ?? 10 };
  }

  /**
   * Yields what it does as it does it. Throws ModelError when the model fails or has no answer.
   * @param earlier what a run of the same message told before it was cut off: it is gone on with, and nothing of it is done again
   */
  async *run(message: string, context: AgentContext, earlier: readonly AgentOutput[] = []): AsyncGenerator<AgentOutput, AgentResult> {
    const before = earlierSteps(earlier);
    if (before.isCutOff) throw new ModelError('The answer was cut off in the middle; please ask again');
    const steps = [...before.steps];
    let isAnnounced = before.isThinking;
    for (;;) {
      const results = yield* this.#runCalls(steps, { message, context });
      const last = steps.pop();
      if (last) steps.push({ ...last, results });
      if (isAnswered(steps) || hasReached(steps, this.#parts.maxIterations)) return resultOf(steps);
      if (!isAnnounced) yield { type: 'thinking', iteration: steps.length + 1 };
      isAnnounced = false;
      steps.push(yield* this.#think({ message, context, steps }));
    }
  }

  async *#think({ message, context, steps }: ToolTurn): AsyncGenerator<AgentOutput, Step> {
    const { model, toolbox, signal, silenceMs, maxIterations, onUsage } = this.#parts;
    const iteration = steps.length + 1;
    const isLast = iteration === maxIterations;
    const [system, offered] = await Promise.all([toolbox.systemPrompt(context, steps), toolbox.tools(steps)]);
    const tools = [...offered];
    const toolChoice = isLast ? ({ type: 'none' } as const) : iteration === 1 ? model.toolChoice : ({ type: 'auto' } as const);
    const request = {
      prompt: buildMessages({ system, history: context.history, message, steps }),
      ...(tools.length > 0 && { tools, toolChoice }),
    };
    const words = callModel(model, request, { signal, silenceMs });
    let word = await words.next();
    for (; !word.done; word = await words.next()) yield { type: 'content', content: word.value };
    const reply = word.value;
    onUsage?.(reply.usage);
    // Tools were not on offer: whatever was asked for all the same is not done.
    const calls = isLast ? [] : unlike(steps, reply.calls);
    for (const call of calls) yield { type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments };
    const { text, finishReason, usage } = reply;
    if (calls.length === 0 && text.trim() === '') throw noAnswer(finishReason);
    yield { type: 'step', iteration, finish_reason: finishReason, usage };
    return { text, calls, results: [], finishReason, usage };
  }

  /** Runs the calls of the last step that have no result yet, at the same time; each result is told when it is there. */
  async *#runCalls(
    steps: readonly Step[],
    { message, context }: Pick<ToolTurn, 'message' | 'context'>,
  ): AsyncGenerator<AgentOutput, readonly AgentToolResult[]> {
    const last = steps.at(-1);
    const results = [...(last?.results ?? [])];
    const open = (last?.calls ?? []).filter(({ id }) => !results.some((result) => result.id === id));
    const running = new Map(
      open.map((call) => [
        call.id,
        this.#parts.toolbox
          .run(call, { message, context, steps })
          .then((result) => ({ type: 'tool_result', id: call.id, name: call.name, result }) as const),
      ]),
    );
    while (running.size > 0) {
      const result = await Promise.race(running.values());
      this.#parts.signal.throwIfAborted();
      running.delete(result.id);
      results.push(result);
      yield result;
    }
    // In the order in which they were asked for, as every provider wants them.
    return (last?.calls ?? []).flatMap(({ id }) => results.filter((result) => result.id === id));
  }
}

function resultOf(steps: readonly Step[]): AgentResult {
  const last = steps.at(-1);
  return {
    content: steps.map(({ text }) => text).join(''),
    finishReason: last?.finishReason === 'tool-calls' || last === undefined ? 'stop' : last.finishReason,
    iterations: steps.length,
    usage: {
      input_tokens: steps.reduce((sum, { usage }) => sum + usage.input_tokens, 0),
      output_tokens: steps.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
    },
    steps,
  };
}

/** Ids are the model's own; one that it uses twice would make two calls one. */
function unlike(steps: readonly Step[], calls: readonly ModelCall[]): readonly ModelCall[] {
  const taken = new Set(steps.flatMap((step) => step.calls.map(({ id }) => id)));
  return calls.map((call) => {
    let id = call.id || 'call';
    for (let count = 2; taken.has(id); count++) id = `${call.id || 'call'}-${count}`;
    taken.add(id);
    return { ...call, id };
  });
}

function noAnswer(reason: FinishReason): ModelError {
  if (reason === 'content-filter') return new ModelError('The model declined to answer this message');
  if (reason === 'length') return new ModelError('The model used up its output before it had said anything');
  return new ModelError('The model gave no answer');
}
