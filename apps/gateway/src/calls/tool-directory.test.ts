import { describe, expect, test } from '@jest/globals';
import { Catalog, Refusal, tools, type ToolContract } from '#lib/contracts';
import { ending2030, plain, testTools } from './test-tools.js';
import { ToolDirectory } from './tool-directory.js';

const on = (day: string, contracts: readonly ToolContract[] = testTools) => new ToolDirectory(new Catalog(contracts), () => new Date(day));

function refusalOf(work: () => unknown): Refusal['error'] {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
  throw new Error('not refused');
}

describe('a tool that announces its end', () => {
  test.each([
    ['2029-12-31T23:59:59.999Z', true],
    ['2030-01-01T00:00:00.000Z', false],
  ])('at %s may be called: %s', (day, may) => {
    const directory = on(day);
    expect(directory.listed.map(({ name }) => name)).toContain('test_ending');
    expect(directory.offered.some(({ name }) => name === 'test_ending')).toBe(may);
    if (may) expect(directory.resolve('test_ending')).toBe(ending2030);
    else
      expect(refusalOf(() => directory.resolve('test_ending'))).toMatchObject({
        family: 'TOOL_DEPRECATED',
        extra: { replacement: 'test_plain', sunset_date: '2030-01-01' },
      });
  });

  test('says so in headers until its end, with its successor', () => {
    const headers = {
      deprecation: '@1893456000',
      sunset: 'Tue, 01 Jan 2030 00:00:00 GMT',
      link: '</tools/test_plain>; rel="successor-version"',
    };
    expect(on('2026-11-22').lifecycleHeaders(ending2030)).toEqual(headers);
    expect(on('2030-01-02').lifecycleHeaders(ending2030)).toEqual({});
    const { replacement: _, ...alone } = ending2030;
    expect(on('2026-11-22').lifecycleHeaders(alone)).toEqual({
      deprecation: headers.deprecation,
      sunset: headers.sunset,
    });
  });

  test('keeps its definition after its end', () => {
    expect(on('2031-01-01').find('test_ending')).toBe(ending2030);
  });

  test('is no matter for a tool without one', () => {
    expect(on('2026-11-22').lifecycleHeaders(plain)).toEqual({});
  });
});

describe('names', () => {
  const directory = on('2026-11-22');

  test.each([
    ['test_plain', 'test_plain'],
    ['TestPlain', 'test_plain'],
    ['TESTPLAIN', 'test_plain'],
    ['test_plain@^1', 'test_plain'],
    ['unknown', 'unknown'],
    ['unknown@1', 'unknown@1'],
    ['', ''],
    ['x'.repeat(65), 'x'.repeat(64)],
  ])('%j is reported as %j', (asked, name) => {
    expect(directory.nameOf(asked)).toBe(name);
  });

  test.each(['Test_Plain', 'test-plain', 'test_plain ', '__proto__', 'constructor', 'toString', ''])('%j is no tool', (asked) => {
    expect(refusalOf(() => directory.resolve(asked)).family).toBe('TOOL_NOT_FOUND');
    expect(directory.named(asked)).toBeUndefined();
  });

  test.each(['test_plain@not a range', 'test_plain@1@2', 'test_plain@latest'])('%j has no version range', (asked) => {
    expect(refusalOf(() => directory.resolve(asked)).family).toMatch(/INVALID_PARAMS|TOOL_NOT_FOUND/);
  });

  test('a range that no version fits is told with the versions that there are', () => {
    expect(refusalOf(() => directory.resolve('test_plain@^7')).message).toContain('1.2.0');
  });
});

describe('tools that are not for everybody', () => {
  const internal = tools.filter((tool) => tool.internal);
  const directory = on('2026-11-22', tools);

  test('are found by their own door alone', () => {
    expect(internal.length).toBeGreaterThan(0);
    for (const { name } of internal) {
      expect(refusalOf(() => directory.resolve(name)).family).toBe('TOOL_NOT_FOUND');
      expect(directory.internal(name).name).toBe(name);
    }
    expect(refusalOf(() => directory.internal('calc_metrics')).family).toBe('TOOL_NOT_FOUND');
  });

  test('are in no list', () => {
    const hidden = new Set(tools.filter((tool) => tool.internal || tool.unlisted).map(({ name }) => name));
    expect([...directory.listed, ...directory.offered].filter(({ name }) => hidden.has(name))).toEqual([]);
  });

  test('are refused while they are suspended, with the reason', () => {
    const suspended = on('2026-11-22', [{ ...plain, suspended: 'its server changed' }]);
    expect(refusalOf(() => suspended.resolve('test_plain'))).toMatchObject({
      family: 'CONFLICT',
      message: expect.stringContaining('its server changed'),
    });
    expect(suspended.listed).toEqual([]);
  });
});

test('a record of a version that was removed has the contract of the current one', () => {
  const directory = on('2026-11-22');
  const caller = { tenantId: 't', userId: null, tier: 'pro', scopes: [], credentialId: 'k' } as const;
  expect(directory.contractOf({ tool: 'test_plain', version: '0.9.0', caller })).toBe(plain);
  expect(directory.contractOf({ tool: 'test_plain', version: '1.2.0', caller })).toBe(plain);
  expect(directory.contractOf({ tool: 'removed', version: '1.0.0', caller })).toBeUndefined();
});
