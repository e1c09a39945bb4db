import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FileLinks } from './file-links.js';

const key = { key: randomBytes(32) };
const newer = { key: randomBytes(32) };
const links = new FileLinks([key]);
const now = Date.parse('2026-11-21T12:00:00Z');
const terms = { publicUrl: 'https://tools.example.com/', ttlMs: 3_600_000, now };
const file = { id: 'file_abc', visibility: 'private', expiresAt: new Date(now + 86_400_000) } as const;

function partsOf(url: string): { id: string; expires: string; signature: string } {
  const { pathname, searchParams } = new URL(url);
  return {
    id: pathname.split('/').at(-1) ?? '',
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
  };
}

test('a private link holds for its hour and not longer than its file', () => {
  const { url, expiresAt } = links.linkTo(file, terms);
  expect(url).toMatch(/^https:\/\/tools\.example\.com\/files\/file_abc\?expires=\d+&signature=[\w-]{32}$/);
  expect(expiresAt).toEqual(new Date(now + 3_600_000));
  const { id, ...rest } = partsOf(url);
  expect(links.verify(id, rest, now + 3_599_000)).toBe('valid');
  expect(links.verify(id, rest, now + 3_600_000)).toBe('expired');
  expect(links.linkTo({ ...file, expiresAt: new Date(now + 1_000) }, terms).expiresAt).toEqual(new Date(now + 1_000));
});

test('a public link is plain', () => {
  expect(links.linkTo({ ...file, visibility: 'public' }, terms)).toEqual({
    url: 'https://tools.example.com/files/file_abc',
    expiresAt: file.expiresAt,
  });
});

test('an older key is believed, a foreign one is not', () => {
  const { id, ...rest } = partsOf(links.linkTo(file, terms).url);
  expect(new FileLinks([newer, key]).verify(id, rest, now)).toBe('valid');
  expect(new FileLinks([newer]).verify(id, rest, now)).toBe('invalid');
});

test('no other id, time or signature is good', () => {
  const good = partsOf(links.linkTo(file, terms).url);
  fc.assert(
    fc.property(fc.constantFrom('id', 'expires', 'signature'), fc.string({ maxLength: 40 }), (part, value) => {
      fc.pre(good[part] !== value);
      const { id, ...rest } = { ...good, [part]: value };
      return links.verify(id, rest, now) === 'invalid';
    }),
  );
});
