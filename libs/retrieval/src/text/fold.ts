import { simplify } from './chinese.js';

/**
 * Maps spellings that readers consider equal to one form: full and half width, upper and lower case, Latin letters with and without
 * accents, traditional and simplified Chinese (`ＡＢＣ` → `abc`, `Café` → `cafe`, `資料` → `资料`).
 */
export function fold(text: string): string {
  // Fast path: most texts need lower case only.
  if (/^[\x20-\x7e\u4e00-\u9fff]*$/.test(text)) return simplify(text.toLowerCase());
  const folded = text
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'");
  return simplify(folded);
}
