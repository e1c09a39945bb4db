import { expect, test } from '@jest/globals';
import { bodyOf, newForm } from './form.js';

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
