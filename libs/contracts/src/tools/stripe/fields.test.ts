import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redact } from '../../derive/redaction.js';
import { validateInput } from '../../validate.js';
import { accountId, locale, returnUrl } from './fields.js';
import { supabaseGetMerchantRow } from './supabase-get-merchant-row.js';

const takes = (url: string) => returnUrl.safeParse(url).success;

describe('return addresses', () => {
  test('are what every parser reads the same', () => {
    for (const good of [
      'https://app.example.com',
      'https://app.example.com/a?b=c#d',
      'http://localhost:5173/x',
      'https://xn--bcher-kva.example/',
    ])
      expect([good, takes(good)]).toEqual([good, true]);
    for (const bad of [
      'javascript:alert(1)',
      'https:app.example.com',
      'https:///app.example.com',
      'https://a@b.example',
      'https://a\\b.example',
      'https://bücher.example',
      'HTTPS:\\\\x',
      'http://example.com',
      'https://a b',
      '',
    ])
      expect([bad, takes(bad)]).toEqual([bad, false]);
  });

  test('that are taken are https or local, without credentials, for any text', () => {
    const pieces = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      'a.example',
      'localhost',
      '?',
      '#',
      '%2f',
      '\t',
      ' ',
      'x',
      '..',
      '[::1]',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        if (!takes(text)) return;
        const url = new URL(text);
        expect(url.username + url.password).toBe('');
        expect(url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)).toBe(true);
        expect(text).not.toMatch(/[\s\\@]/);
      }),
    );
  });
});

test('account ids can be a part of a path and nothing more', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const id = `acct_${text}`;
      expect(accountId.safeParse(id).success).toBe(/^[A-Za-z0-9]{1,64}$/.test(text));
      if (accountId.safeParse(id).success) expect(encodeURIComponent(id)).toBe(id);
    }),
  );
});

test('locales are tags of BCP 47', () => {
  for (const good of ['en', 'en-US', 'zh-Hans-CN', 'de-CH-1996']) expect(locale.safeParse(good).success).toBe(true);
  for (const bad of ['', 'e', 'en_US', 'english please', 'en-US,de']) expect(locale.safeParse(bad).success).toBe(false);
});

test('a merchant needs one of its two names, and neither is shown in logs', () => {
  expect(() => validateInput(supabaseGetMerchantRow, {})).toThrow(/required/);
  expect(redact(supabaseGetMerchantRow.input, 'input', { merchant_id: 'm', user_session_id: 's', request_id: 'r' })).toEqual({
    merchant_id: '[redacted]',
    user_session_id: '[redacted]',
    request_id: 'r',
  });
});
