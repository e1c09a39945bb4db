import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { urlViolation, isPrivateAddress } from './address-rules.js';

const open = { allowedHosts: [], allowPrivate: false };
const fault = (url: string, rules: Parameters<typeof urlViolation>[1] = open) => urlViolation(new URL(url), rules);

test.each([
  '10.1.2.3',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'no address',
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

test.each(['1.1.1.1', '172.15.0.1', '172.32.0.1', '93.184.216.34', '2606:4700:4700::1111'])('%s is public', (address) =>
  expect(isPrivateAddress(address)).toBe(false),
);

describe('an address', () => {
  test.each([
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://[::ffff:127.0.0.1]/mcp',
    // The parser of URLs makes plain addresses of these.
    'https://2130706433/mcp',
    'https://0x7f.1/mcp',
    'https://localhost/mcp',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ])('within a private network is refused: %s', (url) => expect(fault(url)).toMatch(/private network/));

  test('without encryption is refused outside development', () => {
    expect(fault('http://example.com/mcp')).toMatch(/https/);
    expect(fault('http://example.com/mcp', { ...open, allowPrivate: true })).toBeNull();
  });

  test('of another scheme, or with a credential in it, is refused', () => {
    expect(fault('ftp://example.com')).toMatch(/scheme/);
    expect(fault('https://user:secret@example.com')).toMatch(/credential/);
  });

  test('must be on the allow-list, where there is one', () => {
    const rules = { allowedHosts: ['example.com', '*.tools.example'], allowPrivate: false };
    expect(fault('https://example.com/mcp', rules)).toBeNull();
    expect(fault('https://EXAMPLE.com/mcp', rules)).toBeNull();
    expect(fault('https://a.b.tools.example/mcp', rules)).toBeNull();
    for (const url of ['https://tools.example', 'https://example.com.evil.net', 'https://notexample.com', 'https://eviltools.example'])
      expect(fault(url, rules)).toMatch(/allow-list/);
  });

  test('of IPv4 is private in its IPv6 clothes too', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => expect(isPrivateAddress(`::ffff:${address}`)).toBe(true)));
  });
});
