import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Refusal, scopes, tools, type Caller, type Scope, type ToolContract } from '#lib/contracts';
import { authorise, missingScope } from './authorise.js';

const names = Object.keys(scopes).filter((name): name is Scope => Object.hasOwn(scopes, name));
const caller = (given: readonly Scope[], userId: string | null = 'u'): Caller => ({
  tenantId: 't',
  userId,
  tier: 'pro',
  scopes: given,
  credentialId: 'k',
});
const tool = (name: string): ToolContract => {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

function refusal(work: () => void): Refusal | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

describe('scopes', () => {
  test.each([
    ['calc_metrics', ['tools:read'], undefined],
    ['calc_metrics', ['tools:write'], 'tools:read'],
    ['calc_metrics', [], 'tools:read'],
    ['create_node', ['tools:read'], 'tools:write'],
    ['create_node', ['tools:write'], undefined],
  ] as const)('%s for a caller with %j lacks %s', (name, given, missing) => {
    expect(missingScope(caller(given), tool(name))).toBe(missing);
  });

  test('every tool asks for the scope of its effect', () => {
    for (const contract of tools)
      expect(missingScope(caller([]), contract)).toBe(contract.effect === 'read' ? 'tools:read' : 'tools:write');
  });

  test('more scopes never take a right away', () => {
    fc.assert(
      fc.property(fc.subarray(names), fc.subarray(names), fc.constantFrom(...tools), (some, more, contract) => {
        if (missingScope(caller(some), contract) === undefined)
          expect(missingScope(caller([...new Set([...some, ...more])]), contract)).toBeUndefined();
      }),
    );
  });
});

describe('whose data', () => {
  const lookup = tool('user_profile_lookup');
  const reader = ['tools:read'] as const;

  test('one’s own is readable, another’s needs the scope, and the refusal names the parameter and the scope', () => {
    expect(refusal(() => authorise(caller(reader), lookup, { user_id: 'u' }))).toBeNull();
    const denied = refusal(() => authorise(caller(reader), lookup, { user_id: 'other' }));
    expect(denied?.error).toMatchObject({ family: 'PERMISSION_DENIED', extra: { required_scope: lookup.subject?.anyScope } });
    expect(denied?.message).toContain("'user_id'");
    const anyScope = lookup.subject?.anyScope ?? 'admin';
    expect(refusal(() => authorise(caller([...reader, anyScope]), lookup, { user_id: 'other' }))).toBeNull();
  });

  test('a key without a user has no data of its own', () => {
    expect(refusal(() => authorise(caller(reader, null), lookup, { user_id: 'u' }))?.error.family).toBe('PERMISSION_DENIED');
  });

  test('the answer is the same whether or not the user exists', () => {
    const messages = ['user_001', 'user_999', ''].map((user_id) => refusal(() => authorise(caller(reader), lookup, { user_id }))?.message);
    expect(new Set(messages).size).toBe(1);
  });

  test('a missing scope is told before anything about the parameters', () => {
    expect(refusal(() => authorise(caller([]), lookup, { user_id: 'other' }))?.error.extra).toEqual({ required_scope: 'tools:read' });
  });
});

test('answers with secrets are not for code of a model, and those without are', () => {
  const code: Caller = { ...caller(['*']), byCode: true };
  for (const name of ['get_result', 'express_dashboard_login_link']) {
    expect(refusal(() => authorise(code, tool(name), {}))).toMatchObject({
      error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('secrets') },
    });
    expect(refusal(() => authorise(caller(['*']), tool(name), {}))).toBeNull();
  }
  expect(refusal(() => authorise(code, tool('create_node'), {}))).toBeNull();
});
