import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FileLinks, type LinkParts } from './file-links.js';

const key = { key: randomBytes(32) };
const newer = { key: randomBytes(32) };
const links = new FileLinks([key]);
const now = Date.parse('2026-11-21T12:00:00Z');
const terms = { publicUrl: 'https://tools.example.com/', ttlMs: 3_600_000, now, maker: { credentialId: 'key1' } };
const file = { id: 'file_abc', visibility: 'private', expiresAt: new Date(now + 86_400_000) } as const;

function partsOf(url: string): LinkParts & { readonly id: string } {
  const { pathname, searchParams } = new URL(url);
  return {
    id: pathname.split('/').at(-1) ?? '',
    expires: searchParams.get('expires') ?? '',
    key: searchParams.get('key') ?? '',
    signature: searchParams.get('signature') ?? '',
  };
}

test('a private link holds for its hour and not longer than its file', () => {
  const { url, expiresAt } = links.linkTo(file, terms);
  expect(url).toMatch(/^https:\/\/tools\.example\.com\/files\/file_abc\?expires=\d+&key=key1&signature=[\w-]{32}$/);
  expect(expiresAt).toEqual(new Date(now + 3_600_000));
  const { id, ...rest } = partsOf(url);
  expect(links.verify(id, rest, now + 3_599_000)).toBe('valid');
  expect(links.verify(id, rest, now + 3_600_000)).toBe('expired');
  expect(links.linkTo({ ...file, expiresAt: new Date(now + 1_000) }, terms).expiresAt).toEqual(new Date(now + 1_000));
});

describe('the maker of a link', () => {
  const linkOf = (maker: { credentialId: string; credentialEndsAt?: number }) => partsOf(links.linkTo(file, { ...terms, maker }).url);

  test('is named if it is an API key, and nobody else is', () => {
    expect(linkOf({ credentialId: 'key1' }).key).toBe('key1');
    for (const credentialId of ['jwt:t/jane@example.com', 'guest:192.0.2.1']) expect(linkOf({ credentialId }).key).toBe('');
  });

  test('takes the link along when its token ends', () => {
    const { id, ...rest } = linkOf({ credentialId: 'jwt:t/u', credentialEndsAt: now + 60_000 });
    expect([links.verify(id, rest, now + 59_000), links.verify(id, rest, now + 60_000)]).toEqual(['valid', 'expired']);
  });
});

describe('a link for another reader', () => {
  const { url, expiresAt } = links.linkTo(file, terms);
  const reader = { credentialId: 'key2' };

  test('is bound to his credential, and ends when the first one does', () => {
    const other = links.linkFor(reader, url);
    expect(other?.expiresAt).toEqual(expiresAt);
    const { id, ...rest } = partsOf(other?.url ?? '');
    expect([rest.key, links.verify(id, rest, now)]).toEqual(['key2', 'valid']);
  });

  test('of a link that has ended has ended', () => {
    const { id, ...rest } = partsOf(links.linkFor(reader, url)?.url ?? '');
    expect(links.verify(id, rest, expiresAt.getTime())).toBe('expired');
  });

  test.each([
    ['a public one', () => links.linkTo({ ...file, visibility: 'public' }, terms).url],
    ['one that was altered', () => url.replace('file_abc', 'file_abd')],
    ['one of a foreign key', () => new FileLinks([newer]).linkTo(file, terms).url],
    ['one with a later end', () => url.replace(/expires=\d/, 'expires=9')],
  ])('is not made of %s', (_what, given) => expect(links.linkFor(reader, given())).toBeNull());
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
    fc.property(fc.constantFrom('id', 'expires', 'key', 'signature'), fc.string({ maxLength: 40 }), (part, value) => {
      fc.pre(good[part] !== value);
      const { id, ...rest } = { ...good, [part]: value };
      return links.verify(id, rest, now) === 'invalid';
    }),
  );
});

describe('the end of a link', () => {
  const second = Math.floor(now / 1_000) * 1_000;
  test.each([
    ['a millisecond before it', second + 3_600_000 - 1, 'valid'],
    ['at it', second + 3_600_000, 'expired'],
    ['a millisecond after it', second + 3_600_000 + 1, 'expired'],
    ['a year after it', second + 366 * 86_400_000, 'expired'],
    ['before the link was made', second - 86_400_000, 'valid'],
  ] as const)('%s: %s', (...[, time, state]) => {
    const { id, ...rest } = partsOf(links.linkTo(file, { ...terms, now: second }).url);
    expect(links.verify(id, rest, time)).toBe(state);
  });

  test('is told as it is, to the second, and is never after that of the file', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 13 }),
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.integer({ min: 0, max: 10 ** 9 }),
        (time, life, ttlMs) => {
          const expiresAt = new Date(time + life);
          const { url, expiresAt: told } = links.linkTo({ ...file, expiresAt }, { ...terms, now: time, ttlMs });
          const { id, ...rest } = partsOf(url);
          expect(told.getTime()).toBeLessThanOrEqual(Math.min(expiresAt.getTime(), time + ttlMs));
          expect(links.verify(id, rest, told.getTime() - 1)).toBe('valid');
          expect(links.verify(id, rest, told.getTime())).toBe('expired');
        },
      ),
    );
  });
});

describe('an altered link', () => {
  const good = partsOf(links.linkTo(file, terms).url);

  test.each<[string, Partial<typeof good>]>([
    ['another file', { id: 'file_abd' }],
    ['a file above it', { id: '../file_abc' }],
    ['the id with more behind it', { id: 'file_abc\n' }],
    ['a later time', { expires: String(Number(good.expires) + 1) }],
    ['the same time written otherwise', { expires: `0${good.expires}` }],
    ['the same time as a fraction', { expires: `${good.expires}.0` }],
    ['a time that is none', { expires: 'never' }],
    ['no time', { expires: '' }],
    ['no signature', { signature: '' }],
    ['another key', { key: 'key2' }],
    ['no key', { key: '' }],
    ['the key behind the time', { expires: `${good.expires}\nkey1`, key: '' }],
    ['key and time that run into each other', { expires: `${good.expires}","key1`, key: '' }],
    ['a shorter signature', { signature: good.signature.slice(0, 31) }],
    ['a longer signature', { signature: `${good.signature}A` }],
    ['a signature in other cases', { signature: good.signature.toLowerCase() + '_' }],
    ['id and time that run into each other', { id: `file_abc\n${good.expires}`, expires: '' }],
  ])('with %s is invalid, whenever it is used', (_what, change) => {
    const { id, ...rest } = { ...good, ...change };
    for (const time of [0, now, now + 10 ** 10]) expect(links.verify(id, rest, time)).toBe('invalid');
  });

  test('is invalid when one letter of its signature is another', () => {
    for (let place = 0; place < good.signature.length; place += 1) {
      const letter = good.signature[place] === 'A' ? 'B' : 'A';
      const signature = `${good.signature.slice(0, place)}${letter}${good.signature.slice(place + 1)}`;
      expect(links.verify(good.id, { ...good, signature }, now)).toBe('invalid');
    }
  });
});

describe('keys', () => {
  test('of links are not those of sealing: a signature by the sealing key itself is invalid', () => {
    const { id, ...rest } = partsOf(links.linkTo(file, terms).url);
    const text = JSON.stringify([id, rest.expires, rest.key]);
    const signature = createHmac('sha256', key.key).update(text).digest('base64url').slice(0, 32);
    expect(links.verify(id, { ...rest, signature }, now)).toBe('invalid');
  });

  test('are needed to sign, and not to link to a public file', () => {
    expect(() => new FileLinks([]).linkTo(file, terms)).toThrow('No key to sign links with');
    expect(new FileLinks([]).linkTo({ ...file, visibility: 'public' }, terms).url).toMatch(/file_abc$/);
    const { id, ...rest } = partsOf(links.linkTo(file, terms).url);
    expect(new FileLinks([]).verify(id, rest, now)).toBe('invalid');
  });

  test('that are newer sign, while links of older ones hold', () => {
    const rotated = new FileLinks([newer, key]);
    const { id, ...rest } = partsOf(rotated.linkTo(file, terms).url);
    expect(new FileLinks([newer]).verify(id, rest, now)).toBe('valid');
    expect(links.verify(id, rest, now)).toBe('invalid');
  });
});

test.each(['https://tools.example.com', 'https://tools.example.com/', 'https://tools.example.com///'])(
  'a link at %s has one slash before its path',
  (publicUrl) => {
    expect(links.linkTo({ ...file, visibility: 'public' }, { ...terms, publicUrl }).url).toBe('https://tools.example.com/files/file_abc');
  },
);
