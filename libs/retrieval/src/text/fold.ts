/**
 * One form for what readers take as the same: full-width and half-width, upper and lower case, accents on Latin letters
 * (`ＡＢＣ` → `abc`, `Café` → `cafe`).
 */
export function fold(text: string): string {
  // Most texts have nothing to fold but case.
  if (/^[\x20-\x7e\u4e00-\u9fff]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'");
}
