import { expect, test } from '@jest/globals';
import { bodyOf, formFrom, newForm } from './form.js';

test('each kind sends what belongs to it alone', () => {
  const form = { ...newForm, name: 'mail', issuer: 'https://login.example.com', clientId: 'c', header: 'X-Api-Key', scopes: 'read, write' };
  expect(bodyOf(form)).toEqual({ preset: 'github', client_id: 'c', scopes: ['read', 'write'] });
  expect(bodyOf({ ...form, kind: 'issuer' })).toEqual({ issuer: 'https://login.example.com', client_id: 'c', scopes: ['read', 'write'] });
  expect(bodyOf({ ...form, kind: 'api_key' })).toEqual({ api_key: { header: 'X-Api-Key' } });
  expect(bodyOf({ ...form, kind: 'api_key', header: '' })).toEqual({ api_key: true });
});

test('what is needed has to be there', () => {
  expect([
    bodyOf(newForm),
    bodyOf({ ...newForm, name: 'a', kind: 'issuer' }),
    bodyOf({ ...newForm, name: 'a', kind: 'endpoints' }),
  ]).toEqual([null, null, null]);
});

test.each([
  {
    issuer: 'https://login.example.com',
    token_endpoint: 'https://other.example.com/token',
    authorization_parameters: { access_type: 'offline' },
  },
  { resource: 'https://api.example.com', scopes: ['a', 'b'], title: 'Api' },
  {
    authorization_endpoint: 'https://a.example.com',
    token_endpoint: 'https://b.example.com',
    client_id: 'c',
    scope_separator: ',' as const,
  },
  {
    preset: 'github' as const,
    client_id: 'c',
    registration_endpoint: 'https://r.example.com',
    return_origins: ['https://app.example.com'],
  },
  { api_key: { header: 'X-Api-Key', prefix: 'Key', instructions: 'In your settings.' } },
])('what is edited keeps what the form has no field for: %j', (given) => {
  const form = formFrom({ name: 'mail', given });
  expect(sent(bodyOf(form, given))).toEqual(given);
  expect(sent(bodyOf({ ...form, title: 'Mail' }, given))).toEqual({ ...given, title: 'Mail' });
});

test('another kind keeps nothing of the one before', () => {
  const given = { issuer: 'https://login.example.com', authorization_parameters: { access_type: 'offline' } };
  expect(sent(bodyOf({ ...formFrom({ name: 'mail', given }), kind: 'preset' }, given))).toEqual({ preset: 'github' });
});

/** As it goes over the wire. */
function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}
