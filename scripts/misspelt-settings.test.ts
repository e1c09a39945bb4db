import { expect, test } from '@jest/globals';
import { misspeltSettings } from './misspelt-settings.js';

const known = ['DATABASE_URL', 'REDIS_URL', 'PORT', 'HOST', 'MODEL', 'DOMAINS', 'RATE_LIMIT_FREE', 'RATE_LIMIT_PRO'];

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['RATE_LIMTI_FREE', 'RATE_LIMIT_FREE'],
  ['DOMAIN', 'DOMAINS'],
  ['REDIS_URI', 'REDIS_URL'],
  ['MODELL', 'MODEL'],
])('%s is nearly %s', (name, meant) => {
  expect(misspeltSettings(known, { [name]: 'x' })).toEqual([`${name} is no setting; did you mean ${meant}?`]);
});

test('other names, settings themselves, and those beside a setting that is there are left alone', () => {
  expect(misspeltSettings(known, { PATH: '/', HOME: '/', SHELL: 'sh', HOSTS: 'x', PORTS: '1', MODE: 'x', LANG: 'C', path: 'x' })).toEqual(
    [],
  );
  expect(misspeltSettings(known, { REDIS_URL: 'a', DATABASE_URL: 'b' })).toEqual([]);
  expect(misspeltSettings(known, { REDIS_URL: 'a', REDIS_URI: 'of another program' })).toEqual([]);
});
