import { expect, test } from '@jest/globals';
import { screenAddress } from './screen-address.js';

test.each([
  ['/', '/console/'],
  ['/calls?state=failed&scope=all', '/console/calls?state=failed&scope=all'],
  ['/calls/inv_1', '/console/calls/inv_1'],
  ['/tools?q=%E5%A4%A9', '/console/tools?q=%E5%A4%A9'],
])('%s is a screen', (asked, address) => expect(screenAddress(asked)).toBe(address));

test.each([
  undefined,
  '',
  'calls',
  ['/calls', '/tools'],
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  'https://evil.example',
  '@evil.example',
  '.evil.example',
  '/../..//evil.example',
  '/../keys',
  '/%2e%2e/keys',
  '/a/../../keys',
  '/calls\r\nset-cookie: a=b',
  '/session',
  '/oidc/begin',
  '/assets/x.js',
  `/${'x'.repeat(3_000)}`,
])('%j is none', (asked) => expect(screenAddress(asked)).toBe('/console'));
