/** A model's tokens, roughly: one for each East Asian character, one for four others (C-58). */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}
