// A step is one call of the model and the results of the tools that it asked for.
import type { AgentOutput, AgentToolRest, AgentToolResult, FinishReason, TokenUsage } from '#lib/contracts';
import type { ModelCall } from '../model/call-model.js';

export interface Step {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly results: readonly AgentToolResult[];
  /** Of calls that have rested, the latest of each last. */
  readonly rests: readonly AgentToolRest[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** How far the log of an earlier attempt goes. */
export interface ReplayedLog {
  /** Steps whose call of the model was complete. */
  readonly steps: readonly Step[];
  /** True when one more call of the model was announced. */
  readonly isThinking: boolean;
  /** True when that call had already given text. It cannot be repeated: the user would read its beginning twice. */
  readonly isCutOff: boolean;
}

/** Reads the log of an earlier attempt back. */
export function replayLog(outputs: readonly AgentOutput[]): ReplayedLog {
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
        steps.push({ text: open.text, calls: open.calls, results: [], rests: [], finishReason: output.finish_reason, usage: output.usage });
        open = { text: '', calls: [], isThinking: false };
        break;
      case 'tool_rest': {
        const last = steps.pop();
        if (last) steps.push({ ...last, rests: [...last.rests, output] });
        break;
      }
      case 'tool_result': {
        const last = steps.pop();
        if (last) steps.push({ ...last, results: [...last.results, output] });
      }
    }
  }
  return { steps, isThinking: open.isThinking, isCutOff: open.text !== '' };
}

type StopCondition = (steps: readonly Step[]) => boolean;

/** The model has answered: it asked for no tool. */
export const isAnswered: StopCondition = (steps) => steps.at(-1)?.calls.length === 0;

/** The model has been called as often as it may be. */
export function hasReached(maxSteps: number): StopCondition {
  return (steps) => steps.length >= maxSteps;
}

/** Calls with ids that no other call of the turn has. Providers repeat ids or leave them empty, which would make two calls one. */
export function withUniqueIds(calls: readonly ModelCall[], steps: readonly Step[]): readonly ModelCall[] {
  const taken = new Set(steps.flatMap((step) => step.calls.map(({ id }) => id)));
  return calls.map((call) => {
    const given = call.id || 'call';
    let id = given;
    for (let count = 2; taken.has(id); count++) id = `${given}-${count}`;
    taken.add(id);
    return { ...call, id };
  });
}
