// The element of each heavenly stem and earthly branch.
export const elements = ['wood', 'fire', 'earth', 'metal', 'water'] as const;
export type Element = (typeof elements)[number];

const glyphs: Readonly<Record<Element, string>> = {
  wood: '甲乙寅卯',
  fire: '丙丁巳午',
  earth: '戊己辰戌丑未',
  metal: '庚辛申酉',
  water: '壬癸亥子',
};

/** Empty for anything else. */
export function elementOf(glyph: string): Element | '' {
  return elements.find((element) => glyphs[element].includes(glyph)) ?? '';
}
