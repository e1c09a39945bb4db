import type { AgentOutput, TokenUsage } from '#lib/contracts';
import type { TurnEnd } from '#lib/conversations';
import { toWaiting } from '../gateway-client.js';
import { replayLog, type Step } from '../agent/step.js';

const noUsage: TokenUsage = { input_tokens: 0, output_tokens: 0 };

/** What a turn has put out and used so far, an earlier attempt at it included. It is what is stored when the turn ends early. */
export class TurnTranscript {
  readonly #outputs: AgentOutput[];
  #usage = noUsage;

  /** @param earlier outputs of an earlier attempt at the turn */
  constructor(earlier: readonly AgentOutput[]) {
    this.#outputs = [...earlier];
    for (const output of earlier) if (output.type === 'step') this.addUsage(output.usage);
  }

  add(output: AgentOutput): void {
    this.#outputs.push(output);
  }

  addUsage({ input_tokens, output_tokens }: TokenUsage): void {
    this.#usage = { input_tokens: this.#usage.input_tokens + input_tokens, output_tokens: this.#usage.output_tokens + output_tokens };
  }

  /** Tokens of all attempts at the turn. Those of sub-agents are not in the log, so an earlier attempt's are missing. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** True while the user has seen nothing of an answer. */
  get isEmpty(): boolean {
    return this.#outputs.every(({ type }) => type === 'thinking');
  }

  /** The end of a turn that did not complete, with the text of the step that was cut off. */
  earlyEnd(state: 'failed' | 'stopped'): TurnEnd {
    const content = this.#outputs.map((output) => (output.type === 'content' ? output.content : '')).join('');
    const { steps } = replayLog(this.#outputs);
    const text = content.slice(steps.reduce((sum, step) => sum + step.text.length, 0));
    const last: readonly Step[] = text ? [{ text, calls: [], results: [], rests: [], finishReason: 'other', usage: noUsage }] : [];
    return { state, content, steps: [...steps, ...last], usage: this.#usage };
  }

  /** The same for a turn that rests with some of its calls: a later turn knows of them, should this one be stopped. */
  atRest(): TurnEnd {
    return { ...this.earlyEnd('stopped'), steps: replayLog(this.#outputs).steps.map(withRests) };
  }
}

/** Calls that rest have the result that says so. */
function withRests(step: Step): Step {
  const latest = new Map(step.rests.map((rest) => [rest.id, rest]));
  const open = [...latest.values()].filter(({ id }) => !step.results.some((result) => result.id === id));
  const told = open.map(({ id, name, job_id: jobId, input_request: inputRequest, until }) => ({
    type: 'tool_result' as const,
    id,
    name,
    result: toWaiting({ jobId, inputRequest, until }),
    job_id: jobId,
  }));
  return { ...step, results: [...step.results, ...told] };
}
