import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiKeyId, hashApiKey, matchesApiKey, mintApiKey } from './api-key.js';

test('a new key has its form, its id and its hash', () => {
  const { id, key, hash } = mintApiKey();
  expect(key).toMatch(/^invoq_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
  expect(apiKeyId(key)).toBe(id);
  expect(hashApiKey(key)).toBe(hash);
  expect(matchesApiKey(key, hash)).toBe(true);
  expect(matchesApiKey(mintApiKey().key, hash)).toBe(false);
});

test('one wrong character is told from the checksum alone', () => {
  const { key } = mintApiKey();
  fc.assert(
    fc.property(fc.integer({ min: 19, max: key.length - 1 }), fc.constantFrom('a', 'b', 'X', 'Z', '0', '9'), (at, character) => {
      const wrong = key.slice(0, at) + character + key.slice(at + 1);
      expect(apiKeyId(wrong)).toBe(wrong === key ? key.slice(6, 18) : null);
    }),
  );
});

test('anything else is no key', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(apiKeyId(text)).toBeNull()));
  expect(apiKeyId(`${mintApiKey().key}\n`)).toBeNull();
});
