import type { ToolContract } from '../define-tool.js';

/** Characters that one token stands for (TU-79). */
const charactersPerToken = { text: 4, json: 3.5, code: 2, markdown: 3.5 } as const;

/** The tokens that a text is expected to cost a model, by the rules of the Tool Use document. */
export function estimateTokens(text: string, kind: keyof typeof charactersPerToken): number {
  let characters = 0;
  for (const _character of text) characters += 1;
  return Math.ceil(characters / charactersPerToken[kind]);
}

/** What an answer costs a model that reads it as JSON. */
export function tokensOf(data: unknown): number {
  return estimateTokens(JSON.stringify(data) ?? '', 'json');
}

/** What a contract promises that an answer usually costs, and at most (TU-78, C-18). */
export function promisedTokens({ estimatedTokens }: Pick<ToolContract, 'estimatedTokens'>): {
  readonly typical: number;
  readonly max: number | null;
} {
  if (typeof estimatedTokens === 'number') return { typical: estimatedTokens, max: null };
  return { typical: estimatedTokens.output.typical, max: estimatedTokens.output.max ?? null };
}
