import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPublicUrl, isRepositoryPath, withoutPrivateAddresses } from './public-addresses.js';

const secret = [
  'http://10.0.0.5/x',
  'https://wiki.corp.internal/x',
  'http://localhost:3000/',
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://[::1]/',
  'http://[fd00::1]/',
  'http://[::ffff:10.0.0.5]/',
  'http://192.168.1.7/',
  'http://172.31.255.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://intranet/',
  'http://jira.lan/browse',
  'https://user:pass@example.com/',
  'https://vault.corp.example.com/',
];

describe('public addresses', () => {
  test.each(['https://docs.stripe.com/connect', 'http://8.8.8.8/', 'https://www.who.int/news#a', 'https://例え.jp/'])(
    '%s is one',
    (url) => {
      expect(isPublicUrl(url)).toBe(true);
      expect(withoutPrivateAddresses(`see ${url} for more`)).toBe(`see ${url} for more`);
    },
  );

  test.each([...secret, 'ftp://example.com/', 'javascript:alert(1)', 'file:///etc/passwd', 'knowledge/a.md', ''])('%s is none', (url) => {
    expect(isPublicUrl(url)).toBe(false);
  });

  test.each(secret)('%s does not leave in a text', (url) => {
    for (const text of [`见 ${url}。`, `[link](${url})`, `"${url}"`, `a,${url},b`]) {
      expect(withoutPrivateAddresses(text)).toContain('[private address]');
      expect(withoutPrivateAddresses(text)).not.toContain(new URL(url).host);
    }
  });

  test('bare addresses and names of private networks are taken out, versions and times stay', () => {
    expect(withoutPrivateAddresses('host 192.168.1.7:5432 and db.prod.internal')).toBe('host [private address] and [private address]');
    const plain = 'version 2.1.0, 1.2.3.4.5, at 10.30, 7.5 mg, mail a@b.com, 8.8.8.8';
    expect(withoutPrivateAddresses(plain)).toBe(plain);
  });

  test('taking out twice is taking out once', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...secret), fc.webUrl(), fc.ipV4())), (parts) => {
        const once = withoutPrivateAddresses(parts.join(' '));
        expect(withoutPrivateAddresses(once)).toBe(once);
      }),
    );
  });
});

test('a repository path stays inside', () => {
  for (const path of ['knowledge/health/sleep.md', 'docs/运行手册.md', 'README.md']) expect(isRepositoryPath(path)).toBe(true);
  for (const path of ['../secret', '/etc/passwd', 'a/../../b', '.env', '.git/config', 'a/.git/b', 'https://x.com', 'C:\\x', ''])
    expect(isRepositoryPath(path)).toBe(false);
});
