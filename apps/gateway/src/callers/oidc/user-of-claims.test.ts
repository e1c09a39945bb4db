import { expect, test } from '@jest/globals';
import { userScopes } from '#lib/contracts';
import { userOfClaims } from './user-of-claims.js';

const paths = {
  user: 'sub',
  tenant: ['tenant_id', 'org_id', 'organization', 'tid'],
  scopes: ['scope', 'permissions', 'roles', 'realm_access.roles'],
};
const of = (claims: object, changed = {}) => userOfClaims({ sub: 'alice', ...claims }, { ...paths, ...changed });

test.each([
  ['our own', { tenant_id: 'acme', scope: 'tools:read tenant:admin', tier: 'vip' }, ['tools:read', 'tenant:admin'], 'vip'],
  ['Auth0', { org_id: 'acme', permissions: ['tools:read', 'read:things'] }, ['tools:read'], 'free'],
  ['Keycloak', { organization: ['acme'], realm_access: { roles: ['offline_access', 'tenant:admin'] } }, ['tenant:admin'], 'free'],
  ['Entra', { tid: 'acme', roles: ['approvals', 'tools:read'], scope: 'openid' }, ['approvals', 'tools:read'], 'free'],
  ['no scope of ours', { tid: 'acme', roles: ['Reader'], tier: 'gold' }, userScopes, 'free'],
])('claims as of %s', (_of, claims, scopes, tier) => {
  expect(of(claims)).toEqual({ tenantId: 'acme', userId: 'alice', tier, scopes });
});

test('claims with points in their names, and in objects, are found by their paths', () => {
  const claims = { 'https://acme.example/tenant': 'acme', profile: { email: 'a@b.c' } };
  expect(of(claims, { tenant: ['https://acme.example/tenant'], user: 'profile.email' })).toMatchObject({
    tenantId: 'acme',
    userId: 'a@b.c',
  });
});

test.each([
  [{}],
  [{ tenant_id: '' }],
  [{ tenant_id: '*' }],
  [{ tenant_id: 7 }],
  [{ tenant_id: ['a', 'b'] }],
  [{ tenant_id: { acme: {} } }],
  // What the first claim says is not made up for by another.
  [{ tenant_id: ['a', 'b'], tid: 'acme' }],
])('%j names no tenant', (claims) => expect(() => of(claims)).toThrow(expect.objectContaining({ fault: 'no_tenant' })));

test.each([[{ sub: 'key:1' }], [{ sub: '' }], [{ sub: null }], [{ sub: '\u0000' }]])('%j names no user', (claims) =>
  expect(() => of({ tenant_id: 'acme', ...claims })).toThrow(expect.objectContaining({ fault: 'no_user' })),
);

test('no claim of a prototype is taken', () => {
  expect(() => of({ tenant_id: 'acme' }, { user: 'constructor.name' })).toThrow(expect.objectContaining({ fault: 'no_user' }));
});
