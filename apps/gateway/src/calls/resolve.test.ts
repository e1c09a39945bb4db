import { describe, expect, test } from '@jest/globals';
import { calcMetrics, Catalog, lifecycleWarnings, Refusal, userProfileLookup, type ToolContract } from '#lib/contracts';
import { authorise } from './authorise.js';
import { findTool, resolveTool } from './resolve.js';

const retired: ToolContract = {
  ...calcMetrics,
  name: 'retired',
  aliases: [],
  deprecated: true,
  replacement: 'calc_metrics',
  migrationGuide: 'https://example.com/guide',
};
const announced: ToolContract = { ...calcMetrics, name: 'announced', aliases: [], sunsetDate: '2027-01-01', replacement: 'calc_metrics' };
const catalog = new Catalog([calcMetrics, userProfileLookup, retired, announced]);
const now = new Date('2026-06-01');

function refusal(work: () => unknown): Refusal['error'] {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
  throw new Error('was let through');
}

describe('finding a tool', () => {
  test('by name, alias and range', () => {
    expect(findTool(catalog, 'CalcMetrics')).toBe(calcMetrics);
    expect(findTool(catalog, 'calc_metrics@^2.0.0')).toBe(calcMetrics);
    expect(findTool(catalog, 'calc_metrics@2')).toBe(calcMetrics);
  });

  test('an unknown name is answered with the nearest, a version that is not there with the one that is', () => {
    expect(refusal(() => findTool(catalog, 'calc_metric'))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Tool 'calc_metric' not found; did you mean 'calc_metrics'?",
      extra: { nearest: ['calc_metrics'] },
    });
    expect(refusal(() => findTool(catalog, 'CALC_METRICS')).extra).toEqual({ nearest: ['calc_metrics'] });
    expect(refusal(() => findTool(catalog, 'qwertyuiopasdf')).message).toBe("Tool 'qwertyuiopasdf' not found");
    expect(refusal(() => findTool(catalog, 'calc_metrics@1.x'))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('2.0.0'),
    });
    expect(refusal(() => findTool(catalog, 'calc_metrics@latest!')).code).toBe('INVALID_PARAMS');
  });

  test('one of a domain that is not served is told so', () => {
    const some = new Catalog([calcMetrics], ['memotree']);
    for (const name of ['calc_metrics', 'CalcMetrics@2', 'calc_metrics@1.x'])
      expect(refusal(() => resolveTool(some, name, now))).toMatchObject({
        code: 'TOOL_NOT_FOUND',
        message: expect.stringMatching(/belongs to the domain 'profile', which this installation does not serve/),
      });
  });

  test('one that a setting would turn on is told so', () => {
    const some = new Catalog([{ ...calcMetrics, setting: 'CODE_MODE' }], undefined, () => false);
    expect(refusal(() => resolveTool(some, 'CalcMetrics', now))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('the setting CODE_MODE=on turns it on'),
    });
  });

  test('a deprecated one is refused with what replaces it, an announced end is a warning', () => {
    expect(refusal(() => resolveTool(catalog, 'retired', now))).toMatchObject({
      code: 'TOOL_DEPRECATED',
      extra: { replacement: 'calc_metrics', sunset_date: null, migration_guide: 'https://example.com/guide' },
    });
    expect(lifecycleWarnings(resolveTool(catalog, 'announced', now), now)).toEqual(['announced ends on 2027-01-01; use calc_metrics']);
    expect(refusal(() => resolveTool(catalog, 'announced', new Date('2027-01-01'))).code).toBe('TOOL_DEPRECATED');
  });
});

describe('authorising', () => {
  const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['tools:read'], credentialId: 'k' } as const;

  test('a user reads their own profile, others only with the scope, and existence is never told', () => {
    expect(() => authorise(caller, userProfileLookup, { user_id: 'u' })).not.toThrow();
    expect(refusal(() => authorise(caller, userProfileLookup, { user_id: 'v' }))).toMatchObject({
      code: 'PERMISSION_DENIED',
      native_code: 'PERMISSION_DENIED',
      extra: { required_scope: 'profile:read:any' },
    });
    expect(() => authorise({ ...caller, scopes: ['tools:read', 'profile:read:any'] }, userProfileLookup, { user_id: 'v' })).not.toThrow();
    expect(() => authorise({ ...caller, userId: null }, userProfileLookup, { user_id: 'u' })).toThrow(Refusal);
  });

  test('reading and changing need scopes of their own', () => {
    expect(refusal(() => authorise({ ...caller, scopes: [] }, calcMetrics, {})).extra).toEqual({ required_scope: 'tools:read' });
    expect(refusal(() => authorise(caller, { ...calcMetrics, effect: 'write' }, {})).extra).toEqual({ required_scope: 'tools:write' });
    expect(() => authorise({ ...caller, scopes: ['*'] }, { ...calcMetrics, effect: 'write' }, {})).not.toThrow();
  });
});
