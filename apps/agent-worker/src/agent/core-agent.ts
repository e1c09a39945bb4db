// The agent: build messages → call the model → run all its tool calls → again, until it has answered (VL-09…11).
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { AgentOutput, AgentToolResult, FinishReason, Tier, TokenUsage } from '#lib/contracts';
import { callModel, type ModelCall, type ModelRequest } from '../model/call-model.js';
import { ModelError } from '../model/model-error.js';
import type { ConfiguredModel } from '../model/configured-model.js';
import type { PastTurn } from '#lib/conversations';
import { buildMessages } from './messages.js';
import { earlierSteps, hasReached, isAnswered, withOwnIds, type Step } from './step.js';

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
  readonly idleTimeoutMs: number;
  /** Calls of the model at most; the last is made without tools. Default 10. */
  readonly maxIterations?: number;
  /** Told of the tokens of each call as soon as they are known. */
  readonly onUsage?: (usage: TokenUsage) => void;
}

export class CoreAgent {
  readonly #parts: AgentParts;
  readonly #maxIterations: number;

  constructor({ maxIterations = 10, ...parts }: AgentParts) {
    this.#parts = parts;
    this.#maxIterations = maxIterations;
  }

  /**
   * Yields what it does as it does it. Throws ModelError when the model fails or has no answer.
   * @param earlier what a run of the same message told before it was cut off: it is gone on with, and nothing of it is done again
   */
  async *run(message: string, context: AgentContext, earlier: readonly AgentOutput[] = []): AsyncGenerator<AgentOutput, AgentResult> {
    const before = earlierSteps(earlier);
    if (before.isCutOff) throw new ModelError('The answer was cut off in the middle; please ask again');
    const stopConditions = [isAnswered, hasReached(this.#maxIterations)];
    let steps = yield* this.#runCalls({ message, context, steps: before.steps });
    let isAnnounced = before.isThinking;
    while (!stopConditions.some((isMet) => isMet(steps))) {
      if (!isAnnounced) yield { type: 'thinking', iteration: steps.length + 1 };
      isAnnounced = false;
      const request = await this.#request({ message, context, steps });
      const step = yield* this.#callModel(request, steps);
      steps = yield* this.#runCalls({ message, context, steps: [...steps, step] });
    }
    return resultOf(steps);
  }

  /** What the model is asked: everything that was said and done, and what it may do next. */
  async #request({ message, context, steps }: ToolTurn): Promise<ModelRequest> {
    const { model, toolbox } = this.#parts;
    const [system, tools] = await Promise.all([toolbox.systemPrompt(context, steps), toolbox.tools(steps)]);
    const prompt = buildMessages({ system, history: context.history, message, steps });
    if (tools.length === 0) return { prompt };
    const toolChoice = this.#isLast(steps)
      ? ({ type: 'none' } as const)
      : steps.length === 0
        ? model.toolChoice
        : ({ type: 'auto' } as const);
    return { prompt, tools: [...tools], toolChoice };
  }

  /** Tells the model's words as they come, then the tool calls that it asks for. */
  async *#callModel(request: ModelRequest, steps: readonly Step[]): AsyncGenerator<AgentOutput, Step> {
    const { model, signal, idleTimeoutMs, onUsage } = this.#parts;
    const words = callModel(model, request, { signal, idleTimeoutMs });
    let word = await words.next();
    for (; !word.done; word = await words.next()) yield { type: 'content', content: word.value };
    const { text, finishReason, usage, ...reply } = word.value;
    onUsage?.(usage);
    // Tools were not on offer: whatever was asked for all the same is not done.
    const calls = this.#isLast(steps) ? [] : withOwnIds(reply.calls, steps);
    for (const { id, name, arguments: input } of calls) yield { type: 'tool_call', id, name, arguments: input };
    if (calls.length === 0 && text.trim() === '') throw noAnswer(finishReason);
    yield { type: 'step', iteration: steps.length + 1, finish_reason: finishReason, usage };
    return { text, calls, results: [], finishReason, usage };
  }

  /** Runs the calls of the last step that have no result yet, at the same time; each result is told when it is there. */
  async *#runCalls(turn: ToolTurn): AsyncGenerator<AgentOutput, readonly Step[]> {
    const { toolbox, signal } = this.#parts;
    const last = turn.steps.at(-1);
    if (!last) return turn.steps;
    const results = new Map(last.results.map((result) => [result.id, result]));
    const open = last.calls.filter(({ id }) => !results.has(id));
    const running = new Map(open.map((call) => [call.id, toolbox.run(call, turn).then((result) => toResult(call, result))]));
    while (running.size > 0) {
      const result = await Promise.race(running.values());
      signal.throwIfAborted();
      running.delete(result.id);
      results.set(result.id, result);
      yield result;
    }
    // In the order in which they were asked for, as every provider wants them.
    const inOrder = last.calls.flatMap(({ id }) => results.get(id) ?? []);
    return [...turn.steps.slice(0, -1), { ...last, results: inOrder }];
  }

  #isLast(steps: readonly Step[]): boolean {
    return steps.length + 1 === this.#maxIterations;
  }
}

function toResult({ id, name }: ModelCall, result: AgentToolResult['result']): AgentToolResult {
  return { type: 'tool_result', id, name, result };
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

function noAnswer(reason: FinishReason): ModelError {
  if (reason === 'content-filter') return new ModelError('The model declined to answer this message');
  if (reason === 'length') return new ModelError('The model used up its output before it had said anything');
  return new ModelError('The model gave no answer');
}
