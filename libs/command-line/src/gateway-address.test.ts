import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { UsageError } from './errors.js';
import { gatewayAddress } from './gateway-address.js';

const nowhere = { INVOQ_DATA_DIR: '/nowhere/at/all' };
const written = 'INVOQ_URL=http://written\nINVOQ_API_KEY=user\nINVOQ_ADMIN_KEY=admin\n';

/** A project in which a start has written its address, and a folder of profiles. */
function project() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-address-'));
  writeFileSync(join(folder.path, 'dev.env'), written);
  mkdirSync(join(folder.path, 'invoq'));
  writeFileSync(join(folder.path, 'invoq/prod.env'), 'INVOQ_URL=https://prod\nINVOQ_API_KEY=of prod\n');
  writeFileSync(join(folder.path, 'invoq/empty.env'), 'INVOQ_API_KEY=of nobody\n');
  const env = { INVOQ_DATA_DIR: folder.path, XDG_CONFIG_HOME: folder.path, INIT_CWD: folder.path };
  return { env, [Symbol.dispose]: () => folder.remove() };
}

test('without an environment and without a start there is no gateway', () => {
  expect(gatewayAddress({}, nowhere)).toEqual({ url: undefined, userKey: undefined, adminKey: undefined });
});

test('outside of a project the environment names it; an administrator is the caller where no other key is known', () => {
  const environment = { ...nowhere, INVOQ_URL: 'http://given', INVOQ_API_KEY: 'mine' };
  expect(gatewayAddress({}, environment)).toEqual({ url: 'http://given', userKey: 'mine', adminKey: 'mine' });
  expect(gatewayAddress({}, { ...environment, INVOQ_ADMIN_KEY: 'root' })).toMatchObject({ userKey: 'mine', adminKey: 'root' });
});

test('in a project it is that of the project, with a note where the environment names another', () => {
  using mine = project();
  expect(gatewayAddress({}, mine.env)).toEqual({ url: 'http://written', userKey: 'user', adminKey: 'admin' });
  const exported = { ...mine.env, INVOQ_URL: 'http://first', INVOQ_API_KEY: 'of first', INVOQ_ADMIN_KEY: 'admin of first' };
  expect(gatewayAddress({}, exported)).toEqual({
    url: 'http://written',
    userKey: 'user',
    adminKey: 'admin',
    note: "INVOQ_URL is http://first, and this project's gateway http://written is used. To use the other: invoq --url http://first …",
  });
});

test('a key of the environment is for the gateway of the environment, or for any where it names none', () => {
  using mine = project();
  expect(gatewayAddress({}, { ...mine.env, INVOQ_API_KEY: 'mine' })).toEqual({ url: 'http://written', userKey: 'mine', adminKey: 'mine' });
  const same = { ...mine.env, INVOQ_URL: 'http://written/', INVOQ_API_KEY: 'mine' };
  expect(gatewayAddress({}, same)).toEqual({ url: 'http://written', userKey: 'mine', adminKey: 'mine' });
});

test('the command line comes first, then the profile; keys are never sent to another gateway', () => {
  using mine = project();
  const exported = { ...mine.env, INVOQ_URL: 'http://first', INVOQ_API_KEY: 'of first' };
  const of = (choice: Parameters<typeof gatewayAddress>[0]) => gatewayAddress(choice, exported);
  expect(of({ profile: 'prod' })).toEqual({ url: 'https://prod', userKey: 'of prod', adminKey: undefined });
  expect(of({ url: 'http://else' })).toEqual({ url: 'http://else', userKey: undefined, adminKey: undefined });
  expect(of({ url: 'http://else', key: 'k' })).toEqual({ url: 'http://else', userKey: 'k', adminKey: 'k' });
  expect(of({ url: 'http://first' })).toMatchObject({ userKey: 'of first', adminKey: 'of first' });
  expect(of({ url: 'http://written' })).toMatchObject({ userKey: 'user', adminKey: 'admin' });
  expect(of({ url: 'https://prod', profile: 'prod' })).toMatchObject({ userKey: 'of prod' });
  expect(of({ url: 'http://else', profile: 'prod' })).toMatchObject({ url: 'http://else', userKey: undefined });
  expect(of({ key: 'k' })).toMatchObject({ url: 'http://written', userKey: 'k', adminKey: 'k' });
});

test('a profile may be a file; one that is not there, or names no gateway, is wrong usage', () => {
  using mine = project();
  expect(gatewayAddress({ profile: './dev.env' }, mine.env)).toMatchObject({ url: 'http://written', userKey: 'user' });
  expect(() => gatewayAddress({ profile: 'stage' }, mine.env)).toThrow(UsageError);
  expect(() => gatewayAddress({ profile: 'stage' }, mine.env)).toThrow(/invoq\/stage\.env is not there\. It holds INVOQ_URL=/);
  expect(() => gatewayAddress({ profile: 'empty' }, mine.env)).toThrow(/has no INVOQ_URL/);
});
