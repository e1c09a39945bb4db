import { describe, expect, test } from '@jest/globals';
import { ApiKeys } from './api-keys.js';

describe('while no key is named', () => {
  test.each([
    ['rk_test_x', undefined],
    ['sk_live_4711', undefined],
    ['pk_test_x', 401],
    ['nonsense', 401],
    ['rk_test_', 401],
    ['', 401],
  ])('%j is answered with %s', (key, status) => expect(new ApiKeys().refuse(key, 'POST')?.status).toBe(status));
});

describe('once a key is named', () => {
  test.each([
    ['rk_test_read', 'GET', undefined],
    ['rk_test_read', 'POST', 403],
    ['rk_test_write', 'GET', undefined],
    ['rk_test_write', 'POST', undefined],
    ['rk_test_other', 'GET', 401],
  ])('%s may %s: refused with %s', (key, method, status) => {
    const keys = new ApiKeys();
    keys.grant('rk_test_read', 'read');
    keys.grant('rk_test_write', 'write');
    expect(keys.refuse(key, method)?.status).toBe(status);
  });
});

test('a refusal shows the ends of the key alone', () => {
  const refused = new ApiKeys().refuse('nonsense_that_is_secret_1234', 'GET');
  expect(JSON.stringify(refused)).toContain('nonsense********1234');
  expect(JSON.stringify(refused)).not.toContain('secret');
});
