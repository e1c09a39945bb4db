/**
 * Tokens of a text, estimated so that it errs on the large side (C-58): the greater of characters ÷ 3.5 and one for each
 * wide (CJK) character and for every four others.
 */
export function estimateTokens(text: string): number {
  let wideCount = 0;
  // Every prompt and every turn of every history is counted; a regular expression would make a string of each character.
  for (let at = 0; at < text.length; at++) if (isWide(text.charCodeAt(at))) wideCount += 1;
  return Math.ceil(Math.max(text.length / 3.5, wideCount + (text.length - wideCount) / 4));
}

/** A UTF-16 unit of a script whose every character is a token or more; of the rare ones beyond 16 bits, the first half. */
function isWide(unit: number): boolean {
  return (
    (unit >= 0x2e80 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0xd840 && unit <= 0xd8bf) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff00 && unit <= 0xffef)
  );
}
