import { expect, test } from '@jest/globals';
import { askedAddress, hostOfAddress } from './asked-address.js';

test.each([
  ['https://example.com', 'https://example.com/', 'example.com'],
  ['http://localhost:8080/a?b=c#d', 'http://localhost:8080/a?b=c#d', 'localhost:8080'],
  ['HTTPS://EXAMPLE.com:443/ä', 'https://example.com/%C3%A4', 'example.com'],
  // A Cyrillic a looks like a Latin one.
  ['https://p\u0430ypal.com/', 'https://xn--pypal-4ve.com/', 'xn--pypal-4ve.com'],
  ['https:\\\\evil.example\\@bank.example', 'https://evil.example/@bank.example', 'evil.example'],
  ['https://bank.example.evil.example/', 'https://bank.example.evil.example/', 'bank.example.evil.example'],
  ['https://2130706433/', 'https://127.0.0.1/', '127.0.0.1'],
])('%s is %s, as a browser reads it', (text, address, host) => {
  expect(askedAddress.parse(text)).toBe(address);
  expect(hostOfAddress(address)).toBe(host);
});

test.each([
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'JaVaScRiPt://example.com/%0aalert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'ftp://example.com',
  'intent://scan/#Intent;end',
  '//example.com',
  'example.com',
  '',
  'https://',
  'https://user@example.com',
  'https://user:secret@example.com',
  'https://bank.example@evil.example',
  ' https://example.com',
  'https://exa\tmple.com',
  'https://example.com/\u200B',
  'https://example.com/\u202Etxt.exe',
  'https://example.com/\u0000',
  `https://example.com/${'x'.repeat(2_048)}`,
  // Too long once it is as browsers write it.
  `https://example.com/${'ä'.repeat(1_000)}`,
])('%j is none that anybody is asked to open', (text) => {
  expect(askedAddress.safeParse(text).success).toBe(false);
});
