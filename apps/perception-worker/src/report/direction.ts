const strong = /[\p{L}\p{Script=Hebrew}\p{Script=Arabic}]/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Whether a text runs from right to left: as its first letter does. */
export function isRightToLeft(text: string): boolean {
  const [first] = strong.exec(text) ?? [];
  return first !== undefined && rightToLeft.test(first);
}
