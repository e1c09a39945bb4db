// The prompt of a model: system prompt, earlier turns, message and steps. Results of tools stand between tags that mark them as data, so
// that no text in them passes for an instruction.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { cutForModel, cutTextForModel, estimateTokens, type ReaderOfResult } from '#lib/contracts';
import type { PastTurn, ToolResult, TurnStep } from '#lib/conversations';
import { toPromptData } from '#lib/skills';
import type { Step } from './step.js';
import { beginningIn } from './tool-results.js';

/** Of warnings beside a result that is cut. */
const mostWarningCharacters = 1_000;
/** The least tokens of a turn that are worth showing. */
const minCutTokens = 100;

interface PromptParts {
  readonly system: string;
  readonly history: readonly PastTurn[];
  readonly message: string;
  readonly steps: readonly Step[];
  /** Of each result of a tool. */
  readonly reader: Omit<ReaderOfResult, 'resultId'>;
}

type Reader = PromptParts['reader'];

/** System prompt, history, message and steps, in the order in which a model reads them. */
export function buildMessages({ system, history, message, steps, reader }: PromptParts): LanguageModelV4Prompt {
  const earlier = history.flatMap((turn) => messagesOf(turn, reader));
  return [{ role: 'system', content: system }, ...earlier, user(message), ...steps.flatMap((step) => messagesOfStep(step, reader))];
}

/**
 * The newest turns that fit into a budget of tokens, oldest first. Turns are kept whole, so that no tool call loses its result. A turn
 * that is too large is kept without its tool calls if that fits, else as the beginning and the end of its texts, in half of what is left:
 * the model knows what was spoken of, and there is room for turns before it.
 * @param resultCharacters of each result, as the model reads it
 */
export function trimHistory(turns: readonly PastTurn[], budget: number, resultCharacters: number): readonly PastTurn[] {
  const tokensOf = (turn: PastTurn): number => estimateTokens(JSON.stringify(messagesOf(turn, { most: resultCharacters, tool: null })));
  const kept: PastTurn[] = [];
  let left = budget;
  for (const turn of turns.toReversed()) {
    const fitting =
      [turn, withoutToolCalls(turn)].find((one) => tokensOf(one) <= left) ?? cutTurn(turn, { budget: Math.floor(left / 2), tokensOf });
    if (!fitting) break;
    kept.unshift(fitting);
    left -= tokensOf(fitting);
  }
  return kept;
}

/** Question and answer with their middles left out, in a budget of tokens; null where too little would be left. */
function cutTurn(
  turn: PastTurn,
  { budget, tokensOf }: { readonly budget: number; readonly tokensOf: (turn: PastTurn) => number },
): PastTurn | null {
  const { message, steps } = withoutToolCalls(turn);
  const answer = steps[0]?.text ?? '';
  const [asked, answered] = [estimateTokens(message), estimateTokens(answer)];
  // What JSON adds differs from text to text.
  for (let tokens = budget; tokens >= minCutTokens; tokens = Math.floor(tokens * 0.9)) {
    // Of two long texts each gets a half; what a short one leaves is the other's.
    const forMessage = Math.min(asked, Math.max(Math.floor(tokens / 2), tokens - answered));
    const cut: PastTurn = {
      message: cutMiddle(message, forMessage),
      steps: [{ text: cutMiddle(answer, tokens - forMessage), calls: [], results: [] }],
    };
    if (tokensOf(cut) <= budget) return cut;
  }
  return null;
}

/** About so many tokens of a text: two thirds from its beginning, the rest from its end. */
function cutMiddle(text: string, tokens: number): string {
  const all = estimateTokens(text);
  if (all <= tokens) return text;
  const characters = Math.floor((text.length * tokens) / all);
  const tail = Math.floor(characters / 3);
  const left = text.slice(0, characters - tail);
  const right = text.slice(text.length - tail);
  return `${left}… (${text.length - characters} characters left out) …${right}`.toWellFormed();
}

function withoutToolCalls({ message, steps }: PastTurn): PastTurn {
  return { message, steps: [{ text: steps.map(({ text }) => text).join(''), calls: [], results: [] }] };
}

function messagesOf({ message, steps }: PastTurn, reader: Reader): LanguageModelV4Message[] {
  return [user(message), ...steps.flatMap((step) => messagesOfStep(step, reader))];
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A call without a result is left out: providers reject the one without the other. */
function messagesOfStep({ text, calls, results }: TurnStep, reader: Reader): LanguageModelV4Message[] {
  const pairs = calls.flatMap((call) => {
    const found = results.find(({ id }) => id === call.id);
    return found ? [{ call, result: shownOf(found, reader) }] : [];
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
  return `<${tag}>\n${toPromptData(result)}\n</${tag}>`;
}

/** A result that is too long is its beginning, and how to read on. */
function shownOf({ result, job_id, result_id = job_id }: ToolResult, given: Reader): unknown {
  const reader = { ...given, resultId: result_id };
  const begun = beginningIn(result);
  if (begun) return cutTextForModel(begun.text, begun.characters, reader);
  const shown = cutForModel(result, reader);
  const { warnings } = result;
  // They stand at the end, and the model has to know them.
  const areTold = shown !== result && Array.isArray(warnings) && JSON.stringify(warnings).length <= mostWarningCharacters;
  return areTold ? { ...Object(shown), warnings } : shown;
}
