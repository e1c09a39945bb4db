import type { AgentOutput, TokenUsage } from '#lib/contracts';
import { earlierSteps, type Step } from '../agent/step.js';
import type { TurnEnd } from '#lib/conversations';

const nothing: TokenUsage = { input_tokens: 0, output_tokens: 0 };

/** What a turn has told so far, an earlier run of it included, and what it has cost: what is kept when it ends early. */
export class Told {
  readonly #outputs: AgentOutput[];
  #usage = nothing;

  constructor(earlier: readonly AgentOutput[]) {
    this.#outputs = [...earlier];
  }

  add(output: AgentOutput): void {
    this.#outputs.push(output);
  }

  spend({ input_tokens, output_tokens }: TokenUsage): void {
    this.#usage = { input_tokens: this.#usage.input_tokens + input_tokens, output_tokens: this.#usage.output_tokens + output_tokens };
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  /** The user has seen nothing of an answer. */
  get isNothing(): boolean {
    return this.#outputs.every(({ type }) => type === 'thinking');
  }

  /** As steps, the one that was cut off among them. */
  cutOff(state: 'failed' | 'stopped'): TurnEnd {
    const content = this.#outputs.map((output) => (output.type === 'content' ? output.content : '')).join('');
    const { steps } = earlierSteps(this.#outputs);
    const text = content.slice(steps.reduce((sum, step) => sum + step.text.length, 0));
    const last: readonly Step[] = text ? [{ text, calls: [], results: [], finishReason: 'other', usage: nothing }] : [];
    return { state, content, steps: [...steps, ...last], usage: this.#usage };
  }
}
