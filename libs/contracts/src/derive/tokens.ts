import type { ToolContract } from '../define-tool.js';

/** Characters that one token stands for (TU-79). */
const charactersPerToken = { text: 4, json: 3.5, code: 2, markdown: 3.5 } as const;

/**
 * The tokens that a text is expected to cost a model.
 * @param kind by the rule of the Tool Use document for this kind of text (TU-79), which is the rule for `estimated_tokens`. Without a
 *   kind: an upper estimate for budgets of prompts (C-58), the greater of characters ÷ 3.5 and one token for each wide (CJK)
 *   character plus one for every four others. The rules of TU-79 count Chinese several times too low.
 */
export function estimateTokens(text: string, kind?: keyof typeof charactersPerToken): number {
  if (kind === undefined) return promptTokens(text);
  return Math.ceil((text.length - (text.match(pairs)?.length ?? 0)) / charactersPerToken[kind]);
}

/** Characters of two UTF-16 units. */
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

function promptTokens(text: string): number {
  let wideCount = 0;
  // Every prompt and every turn of every history is counted; a regular expression would make a string of each character.
  for (let at = 0; at < text.length; at++) if (isWide(text.charCodeAt(at))) wideCount += 1;
  return Math.ceil(Math.max(text.length / 3.5, wideCount + (text.length - wideCount) / 4));
}

/** A UTF-16 unit of a script whose every character is a token or more. Of rare characters beyond 16 bits, the first unit counts. */
function isWide(unit: number): boolean {
  return (
    (unit >= 0x2e80 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0xd840 && unit <= 0xd8bf) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff00 && unit <= 0xffef)
  );
}

/** The estimated tokens of an answer that a model reads as JSON. */
export function tokensOf(data: unknown): number {
  return estimateTokens(JSON.stringify(data) ?? '', 'json');
}

/** The typical and the maximum size of an answer in tokens, as the contract promises (TU-78, C-18). `max` is null when it promises none. */
export function promisedTokens({ estimatedTokens }: Pick<ToolContract, 'estimatedTokens'>): {
  readonly typical: number;
  readonly max: number | null;
} {
  if (typeof estimatedTokens === 'number') return { typical: estimatedTokens, max: null };
  return { typical: estimatedTokens.output.typical, max: estimatedTokens.output.max ?? null };
}
