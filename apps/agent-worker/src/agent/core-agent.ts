// The agent's loop: build messages, call the model, run all its tool calls, repeat until it has answered (VL-09…11).
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import {
  getResult,
  type AgentOutput,
  type AgentToolRest,
  type AgentToolResult,
  type FinishReason,
  type Tier,
  type TokenUsage,
} from '#lib/contracts';
import { callModel, type ModelCall, type ModelRequest } from '../model/call-model.js';
import { ModelError } from '../model/model-error.js';
import type { ConfiguredModel } from '../model/configured-model.js';
import type { PastTurn } from '#lib/conversations';
import { buildMessages } from './messages.js';
import { hasReached, isAnswered, replayLog, withUniqueIds, type Step } from './step.js';
import type { ToolRest } from '../gateway-client.js';
import type { ToolRun } from './tool-results.js';

/** What an agent knows of its user (VL-04). A guest's profile and skill data are empty. */
export interface AgentContext {
  readonly userId: string | null;
  readonly userTier: Tier;
  readonly profile: Readonly<Record<string, unknown>>;
  /** By skill. */
  readonly skillData: Readonly<Record<string, unknown>>;
  /** Oldest first, trimmed to its budget. */
  readonly history: readonly PastTurn[];
}

/** The system prompt and the tools at each step of an answer. */
export interface Toolbox {
  readonly systemPrompt: (context: AgentContext, steps: readonly Step[]) => Promise<string>;
  readonly tools: (context: AgentContext, steps: readonly Step[]) => Promise<readonly LanguageModelV4FunctionTool[]>;
  /** A tool that fails gives a result that says so (VL-39); it never makes this throw. */
  readonly run: (call: ModelCall, state: RunState) => Promise<ToolRun>;
}

/** How far an attempt has come. */
export interface RunState {
  readonly context: AgentContext;
  readonly message: string;
  readonly steps: readonly Step[];
}

export interface AgentResult {
  readonly content: string;
  readonly finishReason: FinishReason;
  readonly iterations: number;
  /** Of all steps, without what sub-agents used. */
  readonly usage: TokenUsage;
  readonly steps: readonly Step[];
}

interface AgentParts {
  readonly model: ConfiguredModel;
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
  /** The longest that the model may send nothing, ms. */
  readonly idleTimeoutMs: number;
  /** Of a tool's result that the model reads. */
  readonly resultCharacters: number;
  /** The most calls of the model; the last is made without tools. Default 10. */
  readonly maxIterations?: number;
  /** Ends the attempt: the turn goes on in another one, once the first of these rests is over. Without it nothing is waited for that rests. */
  readonly rest?: (rests: readonly ToolRest[]) => Promise<never>;
  /** Called with the tokens of each call of the model, and what it cost, in millionths of a US dollar. */
  readonly onUsage?: (usage: TokenUsage, costMicros: number) => void;
}

/** Runs one message to its answer. A sub-agent is one too, with the toolbox of its skill. */
export class CoreAgent {
  readonly #parts: AgentParts;
  readonly #maxIterations: number;

  constructor({ maxIterations = 10, ...parts }: AgentParts) {
    this.#parts = parts;
    this.#maxIterations = maxIterations;
  }

  /**
   * Yields outputs as they come. Throws ModelError when the model fails or gives no answer.
   * @param earlier outputs of an attempt at the same message that was cut off: this one continues after them and repeats none of them
   */
  async *run(message: string, context: AgentContext, earlier: readonly AgentOutput[] = []): AsyncGenerator<AgentOutput, AgentResult> {
    const before = replayLog(earlier);
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

  /** The prompt with all earlier steps, and the tools that may be called next. */
  async #request({ message, context, steps }: RunState): Promise<ModelRequest> {
    const { model, toolbox, resultCharacters: most } = this.#parts;
    const [system, tools] = await Promise.all([toolbox.systemPrompt(context, steps), toolbox.tools(context, steps)]);
    const tool = tools.some(({ name }) => name === getResult.name) ? `${getResult.name} with` : null;
    const prompt = buildMessages({ system, history: context.history, message, steps, reader: { most, tool } });
    if (tools.length === 0) return { prompt };
    const toolChoice = this.#isLast(steps)
      ? ({ type: 'none' } as const)
      : steps.length === 0
        ? model.toolChoice
        : ({ type: 'auto' } as const);
    return { prompt, tools: [...tools], toolChoice };
  }

  /** Yields the model's text as it comes, then the tool calls that it asks for. */
  async *#callModel(request: ModelRequest, steps: readonly Step[]): AsyncGenerator<AgentOutput, Step> {
    const { model, signal, idleTimeoutMs, onUsage } = this.#parts;
    const pieces = callModel(model, request, { signal, idleTimeoutMs });
    let piece = await pieces.next();
    for (; !piece.done; piece = await pieces.next()) yield { type: 'content', content: piece.value };
    const { text, finishReason, usage, costMicros, ...reply } = piece.value;
    onUsage?.(usage, costMicros);
    // The last call has no tools. A model that calls one nevertheless is ignored.
    const calls = this.#isLast(steps) ? [] : withUniqueIds(reply.calls, steps);
    for (const { id, name, arguments: input } of calls) yield { type: 'tool_call', id, name, arguments: input };
    if (calls.length === 0 && text.trim() === '') throw noAnswer(finishReason);
    yield { type: 'step', iteration: steps.length + 1, finish_reason: finishReason, usage };
    return { text, calls, results: [], rests: [], finishReason, usage };
  }

  /**
   * Runs the calls of the last step that have no result yet, all at once, and yields each result as soon as it is there. Where one of them rests,
   * the attempt rests with it once the others have ended.
   */
  async *#runCalls(state: RunState): AsyncGenerator<AgentOutput, readonly Step[]> {
    const { toolbox, signal, rest } = this.#parts;
    const last = state.steps.at(-1);
    if (!last) return state.steps;
    const results = new Map(last.results.map((result) => [result.id, result]));
    const open = last.calls.filter(({ id }) => !results.has(id));
    const running = new Map(open.map((call) => [call.id, toolbox.run(call, state).then((run) => ({ call, run }))]));
    const rests: ToolRest[] = [];
    while (running.size > 0) {
      const { call, run } = await Promise.race(running.values());
      signal.throwIfAborted();
      running.delete(call.id);
      if (rest && run.rest) {
        rests.push(run.rest);
        // An earlier attempt has told it.
        if (!last.rests.some((told) => told.input_request === run.rest?.inputRequest)) yield toRest(call, run.rest);
        continue;
      }
      const result = toResult(call, run);
      results.set(result.id, result);
      yield result;
    }
    if (rest && rests.length > 0) return rest(rests);
    // Providers want results in the order of their calls.
    const inOrder = last.calls.flatMap(({ id }) => results.get(id) ?? []);
    return [...state.steps.slice(0, -1), { ...last, results: inOrder }];
  }

  #isLast(steps: readonly Step[]): boolean {
    return steps.length + 1 === this.#maxIterations;
  }
}

function toRest({ id, name }: ModelCall, { jobId, inputRequest, until }: ToolRest): AgentToolRest {
  return { type: 'tool_rest', id, name, job_id: jobId, input_request: inputRequest, until };
}

function toResult({ id, name }: ModelCall, { result, jobId, resultId, declined }: ToolRun): AgentToolResult {
  const ids = { ...(jobId !== undefined && { job_id: jobId }), ...(resultId !== undefined && { result_id: resultId }) };
  return { type: 'tool_result', id, name, result, ...ids, ...(declined && { declined }) };
}

/** The texts of all steps are the answer: models also write before they call tools. */
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

/** Says why there is no text, as far as the finish reason tells. */
function noAnswer(reason: FinishReason): ModelError {
  if (reason === 'content-filter') return new ModelError('The model declined to answer this message');
  if (reason === 'length') return new ModelError('The model used up its output before it had said anything');
  return new ModelError('The model gave no answer');
}
