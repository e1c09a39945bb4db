import { expect, test } from '@jest/globals';
import { principal } from '#lib/contracts';
import { actorOf } from './actor.js';

test.each([
  ['acme', 'alice'],
  ['a/b', 'alice@example.com'],
  ['50%', 'auth0|5f7c/x'],
  ['%2F', '%odd'],
  ['%252F', '张三'],
])('tenant %s, user %s', (tenantId, userId) => {
  expect(actorOf(principal({ tenantId, userId, credentialId: 'k' }))).toEqual({ kind: 'user', tenant: tenantId, user: userId });
});

test('a key of a tenant', () => {
  expect(actorOf(principal({ tenantId: 'acme', userId: null, credentialId: 'k_1' }))).toEqual({ kind: 'key', tenant: 'acme', key: 'k_1' });
});

test.each([null, '', 'psql', '/x'])('%j is nobody', (nobody) => expect(actorOf(nobody)).toBeNull());
