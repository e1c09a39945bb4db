import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { errorCodes } from '#lib/contracts';
import { allLimits, limitsIn, limitsDocument, limitsFile } from './limits.js';

describe('the limits', () => {
  const limits = allLimits();

  test('are those of the sources, with the figure that holds', () => {
    expect(limits).toContainEqual({ group: 'a tenant', what: 'schedules', beyond: 'QUOTA_EXCEEDED', figure: '1,000', setting: null });
    expect(limits.find(({ setting }) => setting === 'TENANT_BYTES')).toMatchObject({ figure: '2 GiB', group: 'places' });
    expect(limits.find(({ what }) => what.startsWith('time until'))).toMatchObject({ figure: '366 days' });
  });

  test('say each what happens beyond it, by a code that exists or in words', () => {
    const lost = limits.filter(({ group, beyond }) => group !== 'storage' && beyond === '');
    expect(lost).toEqual([]);
    const unknown = limits.filter(({ beyond }) => /^[A-Z_]+$/.test(beyond) && !Object.hasOwn(errorCodes, beyond));
    expect(unknown).toEqual([]);
  });

  test('are told once each', () => {
    const told = limits.map(({ group, what }) => `${group}: ${what}`);
    expect(told.filter((one, index) => told.indexOf(one) !== index)).toEqual([]);
  });

  test('are all on the page (after a change, `npm run format` writes it)', () => {
    expect(readFileSync(join(root, limitsFile), 'utf8')).toBe(limitsDocument());
    const rows = limitsDocument().match(/^\| (?!limit |---)/gm);
    expect(rows).toHaveLength(limits.length);
  });
});

describe('a tag', () => {
  test('stands before a constant', () => {
    const text = '/**\n * Of a day.\n * @limit calls: calls; RATE_LIMITED\n */\nexport const mostCalls = 2 * 1_000;';
    expect(limitsIn('x.ts', text)).toEqual([{ group: 'calls', what: 'calls', beyond: 'RATE_LIMITED', figure: '2,000', setting: null }]);
  });

  test.each([
    ['before what is no number', '/** @limit calls: calls; x */\nconst most = limit();', 'which is no number'],
    ['of an unknown group', '/** @limit call: calls; x */\nconst most = 1;', 'the group must be one of calls, rates'],
    ['before a function', '/** @limit calls: calls; x */\nfunction most() {}', 'of which 0 stand before a constant'],
    ['before a property that is no setting', 'const all = {\n  /** @limit calls: calls; x */\n  MOST: 1,\n};', 'which is no setting'],
  ])('%s is an error that names its file', (_, text, message) => {
    expect(() => limitsIn('x.ts', text)).toThrow(message);
    expect(() => limitsIn('x.ts', text)).toThrow('x.ts');
  });
});
