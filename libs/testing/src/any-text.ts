import fc from 'fast-check';

const surrogates = 0x800;
const firstSurrogate = 0xd800;

/**
 * Any character of Unicode, also those that nobody has assigned. Fast-check's own unit of this kind ('binary') makes a table of all of them in
 * each process: a second of processor and 180 MB.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10_ff_ff - surrogates }).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not one character');
    return point < firstSurrogate ? point : point - surrogates;
  },
);

/** Texts of any characters, with words among them that programs stumble over, such as `__proto__`. */
export function anyText(constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}
