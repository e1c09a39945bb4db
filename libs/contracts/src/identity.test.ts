import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '#lib/testing';
import { tenantIdSchema, userIdSchema } from './identity.js';

const isUser = (id: unknown) => userIdSchema.safeParse(id).success;
const isTenant = (id: unknown) => tenantIdSchema.safeParse(id).success;
const faultOf = (id: unknown) => userIdSchema.safeParse(id).error?.issues[0]?.message;

test.each([
  'u',
  'user_001',
  '12345',
  'jane.doe+test@example.com',
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'google-oauth2|103547991597142817347',
  'https://id.example/users/1?x=1#me',
  'CN=Jane Doe,OU=People,O=Example',
  'arn:aws:iam::123456789012:user/jane',
  '3f0f6e2c-7d0f-4f6e-9d6a-0c6d7a1b2c3d',
  'dGVzdA==',
  '100%',
  'a/b',
  '张三',
  '佐藤 太郎',
  'Ægir Þórsson',
  'नरेन्द्र',
  'محمد',
  '👩🏽',
  'x'.repeat(128),
])('%s is the id of a user, and of a tenant', (id) => {
  expect([isUser(id), isTenant(id)]).toEqual([true, true]);
});

describe('No id', () => {
  test.each([
    ['empty', '', '1–128'],
    ['too long', 'x'.repeat(129), '1–128'],
    ['a NUL', 'a\0', 'control'],
    ['a line break', 'a\nb', 'control'],
    ['a tab', 'a\tb', 'control'],
    ['a C1 control character', 'a\u0085', 'control'],
    ['a blank before', ' a', 'begin or end'],
    ['a blank behind', 'a ', 'begin or end'],
    ['blanks alone', '  ', 'begin or end'],
    ['a no-break space', 'a\u00a0b', 'blanks'],
    ['an ideographic space', '张\u3000三', 'blanks'],
    ['a line separator', 'a\u2028b', 'blanks'],
    ['a zero-width space', 'a\u200bb', 'invisible'],
    ['a byte order mark', '\ufeffa', 'invisible'],
    ['a soft hyphen', 'a\u00adb', 'invisible'],
    ['a change of direction', 'a\u202eb', 'invisible'],
    ['a tag character', 'a\u{e0041}', 'invisible'],
    ['a private character', 'a\ue000', 'invisible'],
    ['half a character', 'a\ud800', 'invisible'],
    ['a letter in two parts', 'e\u0301', 'normal form'],
    ['a number', 7, undefined],
    ['nothing', null, undefined],
  ])('is %s', (_, id, reason) => {
    expect([isUser(id), isTenant(id)]).toEqual([false, false]);
    if (reason !== undefined) expect(faultOf(id)).toContain(reason);
  });

  test('of a user is the name of a key, and none of a tenant is that of all tenants or of guests', () => {
    expect([isUser('key:k1'), isTenant('key:k1'), isUser('*'), isTenant('*'), isTenant('**')]).toEqual([false, true, true, false, true]);
    expect([isUser('guests'), isTenant('guests')]).toEqual([true, false]);
  });
});

test('two ids that are canonically equal, or equal without blanks around them, are one', () => {
  const text = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom(' ', 'e', '\u0301', 'é', '\u200b', 'a', '\u00a0') }));
  fc.assert(
    fc.property(text, (id) => {
      fc.pre(isUser(id));
      expect(id.normalize('NFC').trim()).toBe(id);
    }),
    { numRuns: 1_000 },
  );
});
