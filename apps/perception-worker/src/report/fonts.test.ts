import { expect, jest, test } from '@jest/globals';
import { fontsFor, toWoff2 } from './fonts.js';

// The whole font has 10 MB, and each call reads it.
jest.setTimeout(120_000);

test('fonts hold what is needed: TrueType, a small part of the whole, larger with more characters', async () => {
  const few = await fontsFor('');
  const many = await fontsFor('销售报告第一季度总结与展望');
  for (const font of [few.regular, few.bold, many.regular, many.bold]) expect(font.readUInt32BE(0)).toBe(0x00010000);
  expect(many.regular.length).toBeGreaterThan(few.regular.length);
  expect(many.regular.length).toBeLessThan(200_000);
});

test('for a browser they are packed', async () => {
  const { regular } = await fontsFor('字');
  const packed = await toWoff2(regular, '字');
  expect(packed.toString('latin1', 0, 4)).toBe('wOF2');
  expect(packed.length).toBeLessThan(regular.length);
});

test('characters that the font does not have are left out', async () => {
  expect((await fontsFor('😀\u{10ffff}')).regular.length).toBeGreaterThan(1_000);
});
