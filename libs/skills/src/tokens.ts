const wide = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF\u{20000}-\u{3FFFF}]/gu;

/**
 * Tokens of a text, estimated so that it errs on the large side (C-58): the greater of characters ÷ 3.5 and one for each
 * wide (CJK) character and for every four others.
 */
export function estimateTokens(text: string): number {
  const characters = text.length;
  const wideCount = text.match(wide)?.length ?? 0;
  return Math.ceil(Math.max(characters / 3.5, wideCount + (characters - wideCount) / 4));
}
