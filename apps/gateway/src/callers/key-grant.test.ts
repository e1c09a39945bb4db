import { describe, expect, test } from '@jest/globals';
import { hasScope, Refusal, scopeNames, tiers, type Caller, type Scope } from '#lib/contracts';
import { requireGrantable, requireRevocable, type KeyGrant } from './key-grant.js';

const maker: Caller = {
  tenantId: 'acme',
  userId: null,
  tier: 'pro',
  scopes: ['tenant:admin', 'tools:read', 'tools:serve'],
  credentialId: 'k',
};
const grant: KeyGrant = { tenantId: 'acme', tier: 'free', scopes: ['tools:read'], serves: [] };

function refusalOf(attempt: () => void): Refusal['error'] | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
}
const granting = (wanted: Partial<KeyGrant>, by: Partial<Caller> = {}, serves: readonly string[] = []) =>
  refusalOf(() => requireGrantable({ ...maker, ...by }, { ...grant, ...wanted }, serves));

describe('A new key', () => {
  // Every scope against every other: whatever is added to the list is tried too.
  test.each(scopeNames.flatMap((has) => scopeNames.map((wants): [Scope, Scope] => [has, wants])))(
    'of the holder of %s with the scope %s has no more than that',
    (has, wants) => {
      const refused = granting({ scopes: [wants] }, { scopes: [has] });
      if (hasScope({ scopes: [has] }, wants)) expect(refused).toBeNull();
      else
        expect(refused).toMatchObject({
          family: 'PERMISSION_DENIED',
          details: [{ path: 'scopes.0' }],
          extra: { required_scope: wants },
        });
    },
  );

  test('is refused by the first of its scopes that its maker lacks', () => {
    expect(granting({ scopes: ['tools:read', 'act-as', 'admin'] })).toMatchObject({ details: [{ path: 'scopes.1' }] });
  });

  test.each(tiers.flatMap((own) => tiers.map((wanted) => [own, wanted] as const)))(
    'of the holder of tier %s has the tier %s or not',
    (own, wanted) => {
      const refused = granting({ tier: wanted }, { tier: own });
      if (tiers.indexOf(wanted) <= tiers.indexOf(own)) expect(refused).toBeNull();
      else expect(refused).toMatchObject({ details: [{ path: 'tier' }] });
    },
  );

  test('is for the own tenant, but for an operator', () => {
    expect(granting({ tenantId: 'bolt' })).toMatchObject({ family: 'PERMISSION_DENIED', extra: { required_scope: 'admin' } });
    expect(granting({ tenantId: 'bolt' }, { scopes: ['*'] })).toBeNull();
    expect(granting({ tenantId: 'bolt' }, { scopes: ['admin', 'tools:read'] })).toBeNull();
  });

  test('is made by no key that is for some tools alone, and by no chat turn, whatever scopes these have', () => {
    for (const by of [{ tools: ['calc_metrics'] }, { tools: ['*'] }, { turnId: 'inv_1' }])
      expect(granting({}, { ...by, scopes: ['*'], tier: 'vip' })).toMatchObject({ family: 'PERMISSION_DENIED' });
  });

  test.each<[string[], string[], Scope[], boolean]>([
    [[], [], ['tools:serve'], true],
    [[], ['sales'], ['tools:serve'], true],
    [['sales'], ['sales'], ['tools:serve'], true],
    [['sales'], ['sales', 'billing'], ['tools:serve'], false],
    [['sales'], [], ['tools:serve'], false],
    [['sales'], [], ['tools:read'], true],
    [['sales'], [], ['*'], false],
  ])('of a key that serves %j serves %j with %j: %s', (own, wanted, scopes, may) => {
    const refused = granting({ serves: wanted, scopes }, { scopes: ['*'] }, own);
    if (may) expect(refused).toBeNull();
    else expect(refused).toMatchObject({ details: [{ path: 'serves' }] });
  });
});

describe('Revoking', () => {
  const revoking = (key: { tenantId: string; scopes: readonly string[] }, by: Partial<Caller> = {}) =>
    refusalOf(() => requireRevocable({ ...maker, ...by }, key));

  test.each([[['admin']], [['*']]])("an operator's key in the tenant, with %j, is an operator's", (scopes) => {
    expect(revoking({ tenantId: 'acme', scopes })).toMatchObject({ extra: { required_scope: 'admin' } });
    expect(revoking({ tenantId: 'acme', scopes }, { scopes: ['admin'] })).toBeNull();
  });

  test('is for keys of the own tenant', () => {
    expect(revoking({ tenantId: 'acme', scopes: ['tenant:admin'] })).toBeNull();
    expect(revoking({ tenantId: 'bolt', scopes: [] })).toMatchObject({ family: 'PERMISSION_DENIED' });
    expect(revoking({ tenantId: 'acme', scopes: [] }, { tools: ['calc_metrics'] })).toMatchObject({ family: 'PERMISSION_DENIED' });
  });
});
