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

/** First and last address of each private range, and their public neighbours. */
test.each([
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['2001::', '2001:0:ffff::', '2000:ffff::', '2001:1::'],
  ['2001:db8::', '2001:db8:ffff::', '2001:db7::', '2001:db9::'],
  ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff::', '3ffe::', '3fff:1000::'],
])('%s to %s is private, %s and %s are public', (...[first, last, before, after]) => {
  expect([first, last].map(isPrivateAddress)).toEqual([true, true]);
  expect([before, after].map(isPrivateAddress)).toEqual([false, false]);
});

test.each([
  ['loopback', '::1'],
  ['loopback, written out', '0:0:0:0:0:0:0:1'],
  ['loopback, with leading zeros', '0000:0000:0000:0000:0000:0000:0000:0001'],
  ['mapped', '::ffff:127.0.0.1'],
  ['mapped, written out', '0:0:0:0:0:ffff:127.0.0.1'],
  ['mapped, in hexadecimal', '0:0:0:0:0:FFFF:7f00:1'],
  ['mapped, with leading zeros', '0000::ffff:7f00:0001'],
  ['compatible', '::7f00:1'],
  ['compatible, in decimal', '::127.0.0.1'],
  ['the end of compatible', '::ffff:ffff'],
  ['translated (SIIT)', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::127.0.0.1'],
  ['NAT64, written out', '0064:ff9b:0:0:0:0:7f00:1'],
  ['the end of NAT64', '64:ff9b::ffff:ffff'],
  ['local NAT64', '64:ff9b:1::1'],
  ['the end of local NAT64', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['6to4', '2002:7f00:1::1'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['unique local, in use', 'fdff:ffff::1'],
  ['link-local', 'fe80::1'],
  ['link-local, with a zone', 'fe80::1%eth0'],
  ['the end of link-local', 'febf::1'],
  ['site-local', 'fec0::1'],
  ['the end of site-local', 'feff::1'],
  ['multicast', 'ff02::1'],
  ['the start of what is global', '1fff:ffff::1'],
  ['the end of what is global', '4000::1'],
])('IPv6 that does not lead to the internet is private: %s %s', (_, address) => {
  expect(isPrivateAddress(address)).toBe(true);
  if (!address.includes('%')) expect(fault(`https://[${address}]/`)).toMatch(/private network/);
});

test.each(['2000::1', '2606:4700:4700::1111', '2606:4700:4700:0:0:0:0:1111', '2A00:1450:4001:082b::200e', '3ffe:ffff::1'])(
  'IPv6 of the internet is public: %s',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
    expect(fault(`https://[${address}]/`)).toBeNull();
  },
);

test.each([
  '0.1.2.3',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::ffff:1.1.1.1',
  '::127.0.0.1',
  '::1.1.1.1',
  '::FFFF:7f00:1',
  '1.1.1',
  '1.1.1.1.1',
  '256.1.1.1',
  '',
  'example.com',
])('%j, which is no public address, is private', (address) => expect(isPrivateAddress(address)).toBe(true));

test('a number is the same address in any notation that a URL takes', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const whole = ((a * 256 + b) * 256 + c) * 256 + d;
      const spelled = [`${whole}`, `0x${whole.toString(16)}`, `${a}.${(b * 256 + c) * 256 + d}`, `0${a.toString(8)}.${b}.${c}.${d}`];
      const expected = isPrivateAddress(address);
      for (const host of spelled) expect(fault(`https://${host}/`) !== null).toBe(expected);
    }),
  );
});

test.each(['localhost', 'LOCALHOST', 'a.localhost', 'printer.local', 'db.internal', 'localhost.'])(
  'the name %s is in a private network',
  (name) => {
    expect(fault(`https://${name}/`)).not.toBeNull();
  },
);

test.each(['mylocalhost', 'local.example', 'internal.example.com'])('the name %s is not', (name) => {
  expect(fault(`https://${name}/`)).toBeNull();
});
