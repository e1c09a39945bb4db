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

test.each([
  ['rk_a', ['rk_a']],
  ['rk_a,rk_b', ['rk_a', 'rk_b']],
  [' rk_a ,\n rk_b\n', ['rk_a', 'rk_b']],
  [',,', []],
])('the text %j holds the keys %j, used in that order', (text, expected) => {
  const keys = new Keyring({ keys: text });
  const used: string[] = [];
  for (let key = keys.current(); key !== null && !used.includes(key); key = keys.current()) {
    used.push(key);
    keys.reject(key);
  }
  expect(used).toEqual(expected);
});

test('the file is looked at every half second and not before', () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'keyring-'));
  const file = join(dir.path, 'keys');
  writeFileSync(file, 'rk_one');
  const keys = new Keyring({ file });
  expect(keys.current(10_000)).toBe('rk_one');
  writeFileSync(file, 'rk_second');
  expect(keys.current(10_499)).toBe('rk_one');
  expect(keys.current(10_500)).toBe('rk_second');
});

test('a file that did not change keeps what was refused', () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'keyring-'));
  const file = join(dir.path, 'keys');
  writeFileSync(file, 'rk_old\nrk_new');
  const keys = new Keyring({ file });
  keys.current(10_000);
  keys.reject('rk_old');
  expect(keys.current(20_000)).toBe('rk_new');
});
