import fc from 'fast-check';

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0x10_ffff), fc.integer({ min: 0xd7_f0, max: 0xe0_0f }));

/** Texts of any code points: control characters, emoji and halves of surrogate pairs. (fast-check's `binary` takes seconds to set up.) */
export function anyText({ minLength = 0, maxLength }: { readonly minLength?: number; readonly maxLength: number }): fc.Arbitrary<string> {
  return fc.array(codePoint, { minLength, maxLength }).map((points) => String.fromCodePoint(...points));
}
