import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasScope, principal, scopes, userScopes, type Caller, type Scope } from './scopes.js';

const caller: Caller = { tenantId: 'acme', userId: 'u1', tier: 'free', scopes: [], credentialId: 'k1' };

describe('the name of a caller', () => {
  test.each<[Partial<Caller>, string]>([
    [{}, 'acme/u1'],
    [{ userId: null }, 'acme/key:k1'],
    [{ userId: 'a/b' }, 'acme/a/b'],
    [{ userId: '用户@example.com' }, 'acme/用户@example.com'],
    [{ tenantId: 'a/b' }, 'a%2Fb/u1'],
    [{ tenantId: '100%' }, '100%25/u1'],
    [{ userId: 'key:k1' }, 'acme/%key:k1'],
    [{ userId: '%key:k1' }, 'acme/%%key:k1'],
    [{ userId: 'a%key:' }, 'acme/a%key:'],
  ])('of %j is %s', (change, name) => {
    expect(principal({ ...caller, ...change })).toBe(name);
  });

  const id = fc.oneof(fc.stringMatching(/^(key:|%|\/|%2F|a|b){1,4}$/), fc.string({ minLength: 1, maxLength: 6 }));
  const who = fc.record({ tenantId: id, userId: fc.option(id), credentialId: id });

  test('is never that of another tenant, another user, or a key', () => {
    fc.assert(
      fc.property(who, who, (one, other) => {
        const same =
          one.tenantId === other.tenantId &&
          one.userId === other.userId &&
          (one.userId !== null || one.credentialId === other.credentialId);
        expect(principal(one) === principal(other)).toBe(same);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of a user is the same by every credential', () => {
    fc.assert(
      fc.property(who, id, (one, credentialId) => {
        fc.pre(one.userId !== null);
        expect(principal({ ...one, credentialId })).toBe(principal(one));
      }),
    );
  });
});

describe('a scope', () => {
  const all = Object.keys(scopes) as Scope[];

  test.each(all)('%s is held by those who have it, and by those who have all', (scope) => {
    expect(hasScope({ ...caller, scopes: [scope] }, scope)).toBe(true);
    expect(hasScope({ ...caller, scopes: ['*'] }, scope)).toBe(true);
    expect(hasScope({ ...caller, scopes: [] }, scope)).toBe(false);
    const holders = ['*', 'admin', scope, ...(scope === 'webhooks' ? ['tenant:admin'] : [])];
    expect(hasScope({ ...caller, scopes: all.filter((one) => !holders.includes(one)) }, scope)).toBe(false);
  });

  test("of a tenant's administration is held by those who administer all, and gives nothing of theirs", () => {
    expect(hasScope({ ...caller, scopes: ['admin'] }, 'tenant:admin')).toBe(true);
    expect(hasScope({ ...caller, scopes: ['tenant:admin'] }, 'admin')).toBe(false);
    expect(hasScope({ ...caller, scopes: ['admin'] }, 'tools:read')).toBe(false);
  });

  test('is held exactly: no prefix and no pattern stands for it', () => {
    for (const near of ['tools', 'tools:', 'tools:*', 'TOOLS:READ', ' tools:read', 'tools:read:any'])
      expect(hasScope({ ...caller, scopes: [near] }, 'tools:read')).toBe(false);
  });

  test('that an ordinary user has gives no power over others', () => {
    expect(userScopes).toEqual(['tools:read', 'tools:write', 'stripe:links']);
  });
});
