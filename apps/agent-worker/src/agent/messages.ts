// The prompt of a model: system prompt, earlier turns, message and steps. Results of tools stand between tags that mark them as data, so
// that no text in them passes for an instruction.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { estimateTokens } from '#lib/contracts';
import type { PastTurn, TurnStep } from '#lib/conversations';
import { toPromptData } from '#lib/skills';
import type { Step } from './step.js';

/** The most characters of one tool result in a prompt. */
const maxResultCharacters = 24_000;

interface PromptParts {
  readonly system: string;
  readonly history: readonly PastTurn[];
  readonly message: string;
  readonly steps: readonly Step[];
}

/** System prompt, history, message and steps, in the order in which a model reads them. */
export function buildMessages({ system, history, message, steps }: PromptParts): LanguageModelV4Prompt {
  return [{ role: 'system', content: system }, ...history.flatMap(messagesOf), user(message), ...steps.flatMap(messagesOfStep)];
}

/**
 * The newest turns that fit into a budget of tokens, oldest first. Turns are kept whole, so that no tool call loses its result. A turn
 * that is too large is kept without its tool calls if that fits.
 */
export function trimHistory(turns: readonly PastTurn[], budget: number): readonly PastTurn[] {
  const kept: PastTurn[] = [];
  let left = budget;
  for (const turn of turns.toReversed()) {
    const fitting = [turn, withoutToolCalls(turn)].find((one) => tokensOf(one) <= left);
    if (!fitting) break;
    kept.unshift(fitting);
    left -= tokensOf(fitting);
  }
  return kept;
}

function tokensOf(turn: PastTurn): number {
  return estimateTokens(JSON.stringify(messagesOf(turn)));
}

function withoutToolCalls({ message, steps }: PastTurn): PastTurn {
  return { message, steps: [{ text: steps.map(({ text }) => text).join(''), calls: [], results: [] }] };
}

function messagesOf({ message, steps }: PastTurn): LanguageModelV4Message[] {
  return [user(message), ...steps.flatMap(messagesOfStep)];
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A call without a result is left out: providers reject the one without the other. */
function messagesOfStep({ text, calls, results }: TurnStep): LanguageModelV4Message[] {
  const pairs = calls.flatMap((call) => {
    const found = results.find(({ id }) => id === call.id);
    return found ? [{ call, result: found.result }] : [];
  });
  const content = [
    ...(text ? [{ type: 'text', text } as const] : []),
    ...pairs.map(({ call }) => ({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments }) as const),
  ];
  if (content.length === 0) return [];
  if (pairs.length === 0) return [{ role: 'assistant', content }];
  return [
    { role: 'assistant', content },
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
  const text = toPromptData(result);
  // A provider refuses half a character, and with it every later message of the conversation.
  const cut = text.slice(0, maxResultCharacters).toWellFormed();
  const shown = text.length > maxResultCharacters ? `${cut}… (cut: ${text.length} characters in all)` : text;
  return `<${tag}>\n${shown}\n</${tag}>`;
}
