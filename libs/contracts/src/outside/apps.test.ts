import { describe, expect, test } from '@jest/globals';
import { appRules, leftOut, narrowedMeta } from './apps.js';

const rules = appRules.parse({ domains: ['https://api.example.com', 'https://*.cdn.example.com', 'wss://live.example.com:8443'] });
const none = appRules.parse({});
const kept = (connectDomains: unknown) => narrowedMeta({ ui: { csp: { connectDomains } } }, rules)['ui'];

describe('the metadata of a page', () => {
  test('has no host that was not allowed, and says what it does not get', () => {
    const csp = { connectDomains: ['https://api.example.com', 'https://evil.example'], frameDomains: ['https://evil.example'] };
    const ui = { csp, permissions: { camera: {}, bluetooth: {} }, domain: 'a.example', prefersBorder: true, more: 1 };
    expect(narrowedMeta({ ui, other: 7 }, rules)).toEqual({
      other: 7,
      ui: { csp: { connectDomains: ['https://api.example.com'] }, permissions: {}, prefersBorder: true },
      [leftOut]: ['connectDomains https://evil.example', 'frameDomains https://evil.example', 'permission camera', 'permission bluetooth'],
    });
    expect(narrowedMeta({ ui }, none)).toMatchObject({ ui: { csp: {}, permissions: {} } });
    expect(narrowedMeta({ ui }, { ...none, permissions: ['camera', 'microphone'] })).toMatchObject({ ui: { permissions: { camera: {} } } });
    expect(narrowedMeta({ other: 7 }, rules)).toEqual({ other: 7 });
  });

  test.each([
    ['https://a.cdn.example.com', true],
    ['https://*.a.cdn.example.com', true],
    ['https://*.cdn.example.com', true],
    ['wss://live.example.com:8443', true],
    ['https://cdn.example.com', false],
    ['https://evilcdn.example.com', false],
    ['https://api.example.com.evil.example', false],
    ['https://api.example.com:444', false],
    ['https://a.cdn.example.com:444', false],
    ['http://api.example.com', false],
    ['wss://api.example.com', false],
    ['https://*', false],
    ['*', false],
    ["https://api.example.com; script-src 'unsafe-eval'", false],
    ['https://api.example.com\nhttps://evil.example', false],
    ['https://user@api.example.com', false],
    ['data:', false],
    [7, false],
    [null, false],
  ])('%j: %s', (source, isKept) => {
    expect(kept([source])).toEqual({ csp: isKept ? { connectDomains: [source] } : {}, permissions: {} });
  });

  test.each([['x'], [7], [null], [[]], [{ csp: 7, permissions: 'x', prefersBorder: 'no' }], [{ csp: { connectDomains: 'https://x' } }]])(
    'that is not what it should be gets nothing: %j',
    (ui) => {
      expect(narrowedMeta({ ui }, rules)).toEqual({ ui: { csp: {}, permissions: {} } });
    },
  );

  test.each(['*', 'https://*', 'http://a.example', 'https://a.example/path', 'https://A.example', "https://a.example 'unsafe-inline'"])(
    'is not allowed %s by anybody',
    (domain) => {
      expect(appRules.safeParse({ domains: [domain] }).success).toBe(false);
    },
  );
});
