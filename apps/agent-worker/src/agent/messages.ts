// Steps and earlier turns → what the model is shown. Whatever comes from tools is marked as data, so that no text in it can
// pass for an instruction.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { estimateTokens } from '#lib/contracts';
import type { PastTurn, TurnStep } from '#lib/conversations';
import { asData } from '#lib/skills';
import type { Step } from './step.js';

/** The most characters of one result that the model is shown. */
const maxResultCharacters = 24_000;

export interface Conversation {
  readonly system: string;
  readonly history: readonly PastTurn[];
  readonly message: string;
  readonly steps: readonly Step[];
}

export function buildMessages({ system, history, message, steps }: Conversation): LanguageModelV4Prompt {
  return [{ role: 'system', content: system }, ...history.flatMap(messagesOf), user(message), ...steps.flatMap(messagesOfStep)];
}

/**
 * The newest turns that fit the budget, whole: a tool call is never shown without its result. A turn that is too large by
 * itself keeps what was asked and answered and loses its tool calls.
 */
export function trimHistory(turns: readonly PastTurn[], budget: number): readonly PastTurn[] {
  const kept: PastTurn[] = [];
  let left = budget;
  for (const turn of turns.toReversed()) {
    const fitting = [turn, spoken(turn)].find((one) => tokensOf(one) <= left);
    if (!fitting) break;
    kept.unshift(fitting);
    left -= tokensOf(fitting);
  }
  return kept;
}

function tokensOf(turn: PastTurn): number {
  return estimateTokens(JSON.stringify(messagesOf(turn)));
}

function spoken({ message, steps }: PastTurn): PastTurn {
  return { message, steps: [{ text: steps.map(({ text }) => text).join(''), calls: [], results: [] }] };
}

function messagesOf({ message, steps }: PastTurn): LanguageModelV4Message[] {
  return [user(message), ...steps.flatMap(messagesOfStep)];
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Only calls and results that belong together are shown: providers refuse the one without the other. */
function messagesOfStep({ text, calls, results }: TurnStep): LanguageModelV4Message[] {
  const pairs = calls.flatMap((call) => {
    const answer = results.find(({ id }) => id === call.id);
    return answer ? [{ call, result: answer.result }] : [];
  });
  const said = [
    ...(text ? [{ type: 'text', text } as const] : []),
    ...pairs.map(({ call }) => ({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments }) as const),
  ];
  if (said.length === 0) return [];
  if (pairs.length === 0) return [{ role: 'assistant', content: said }];
  return [
    { role: 'assistant', content: said },
    {
      role: 'tool',
      content: pairs.map(({ call, result }) => ({
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.name,
        output: { type: 'text', value: resultText(call.name, result) },
      })),
    },
  ];
}

function resultText(name: string, result: unknown): string {
  const tag = name === 'search_knowledge' ? 'knowledge' : 'tool_result';
  const text = asData(result);
  const shown = text.length > maxResultCharacters ? `${text.slice(0, maxResultCharacters)}… (cut: ${text.length} characters in all)` : text;
  return `<${tag}>\n${shown}\n</${tag}>`;
}
