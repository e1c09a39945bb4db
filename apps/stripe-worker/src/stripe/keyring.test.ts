import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Keyring } from './keyring.js';

test('without a key there is none', () => expect(new Keyring({}).current()).toBeNull());

test('the first key is used until it is refused, then the next', () => {
  const keys = new Keyring({ keys: 'rk_old, rk_new' });
  expect(keys.current()).toBe('rk_old');
  expect(keys.reject('rk_old')).toBe(true);
  expect(keys.current()).toBe('rk_new');
  expect(keys.reject('rk_new')).toBe(false);
  // All were refused: the answer comes from Stripe, not from us.
  expect(keys.current()).toBe('rk_old');
});

test('a changed file is read again, and refusals are forgotten with it', () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'keyring-'));
  const file = join(dir.path, 'keys');
  writeFileSync(file, 'rk_old\n');
  const keys = new Keyring({ file });
  expect(keys.current(1_000)).toBe('rk_old');
  keys.reject('rk_old');
  writeFileSync(file, 'rk_newer\nrk_old\n');
  expect(keys.current(1_100)).toBe('rk_old');
  expect(keys.current(2_000)).toBe('rk_newer');
});

test('a file that is away for a moment changes nothing', () => {
  const keys = new Keyring({ keys: 'rk_env', file: '/nowhere/at/all' });
  expect(keys.current()).toBe('rk_env');
});
