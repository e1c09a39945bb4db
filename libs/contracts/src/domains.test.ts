import { describe, expect, test } from '@jest/globals';
import { domains, servedDomains } from './domains.js';

describe('the domains that are served', () => {
  test.each([
    [undefined, Object.keys(domains)],
    ['profile', ['profile']],
    // In the order of the table, whatever the order asked.
    [' memotree , profile,profile', ['profile', 'memotree']],
    ['none', []],
  ])('%j is %j', (text, expected) => {
    expect(servedDomains.parse(text)).toEqual(expected);
  });

  test.each(['profil', 'profile,', 'none,profile', 'PROFILE', 'constructor'])('%j is refused with the names that there are', (text) => {
    expect(servedDomains.safeParse(text).error?.issues[0]?.message).toMatch(/^must be "none" or some of profile, .*agent/);
  });
});
