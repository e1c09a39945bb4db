// A step is one call of the model and the results of the tools that it asked for.
import type { AgentOutput, AgentToolResult, FinishReason, TokenUsage } from '#lib/contracts';
import type { ModelCall } from '../model/call-model.js';

export interface Step {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly results: readonly AgentToolResult[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** What an earlier run has told, as steps. */
export interface Earlier {
  /** Steps in which the model has said all it had to say. */
  readonly steps: readonly Step[];
  /** True when the model was called once more. */
  readonly isThinking: boolean;
  /** True when that call had already said something: it cannot be made again without saying it twice. */
  readonly isCutOff: boolean;
}

/** Reads a log of outputs back. */
export function earlierSteps(outputs: readonly AgentOutput[]): Earlier {
  const steps: Step[] = [];
  let open = { text: '', calls: [] as ModelCall[], isThinking: false };
  for (const output of outputs) {
    switch (output.type) {
      case 'thinking':
        open = { text: '', calls: [], isThinking: true };
        break;
      case 'content':
        open.text += output.content;
        break;
      case 'tool_call':
        open.calls.push({ id: output.id, name: output.name, arguments: output.arguments });
        break;
      case 'step':
        steps.push({ text: open.text, calls: open.calls, results: [], finishReason: output.finish_reason, usage: output.usage });
        open = { text: '', calls: [], isThinking: false };
        break;
      case 'tool_result': {
        const last = steps.pop();
        if (last) steps.push({ ...last, results: [...last.results, output] });
      }
    }
  }
  return { steps, isThinking: open.isThinking, isCutOff: open.text !== '' };
}

/** Whether a run is at its end; all that it may judge by is what was done. */
type StopCondition = (steps: readonly Step[]) => boolean;

/** The model has answered: it asked for no tool. */
export const isAnswered: StopCondition = (steps) => steps.at(-1)?.calls.length === 0;

/** All calls of the model that are allowed have been made. */
export function hasReached(iterations: number): StopCondition {
  return (steps) => steps.length >= iterations;
}

/** Ids are the model's own; one that it uses twice would make two calls one. */
export function withOwnIds(calls: readonly ModelCall[], steps: readonly Step[]): readonly ModelCall[] {
  const taken = new Set(steps.flatMap((step) => step.calls.map(({ id }) => id)));
  return calls.map((call) => {
    const given = call.id || 'call';
    let id = given;
    for (let count = 2; taken.has(id); count++) id = `${given}-${count}`;
    taken.add(id);
    return { ...call, id };
  });
}
