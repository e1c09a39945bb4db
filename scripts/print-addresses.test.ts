import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, jest, test } from '@jest/globals';
import { printAddresses } from './print-addresses.js';
import { DataDir } from './provision/data-dir.js';

test('a local run is told with its addresses and keys, and without the passwords of its stores', () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-addresses-`);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stores = { redisUrl: 'redis://:secret@127.0.0.1:6390', databaseUrl: 'postgresql://u:secret@127.0.0.1:5490/db', isEmbedded: true };
  const run = {
    url: 'http://127.0.0.1:3000',
    keys: { admin: 'invoq_admin', user: 'invoq_user', serve: 'invoq_serve' },
    stores,
    workers: new Map([['profile-worker', 'http://127.0.0.1:3101']]),
    dataDir: new DataDir(folder.path),
  };
  printAddresses(run, '1.0 s', 'con_abc');
  printAddresses({ ...run, workers: new Map() }, '1.0 s', 'con_abc');
  const [text = '', without = ''] = write.mock.calls.map(([one]) => String(one));
  write.mockRestore();
  for (const part of [
    'http://127.0.0.1:3000/console#ticket=con_abc',
    'http://127.0.0.1:3000/tools',
    'invoq_admin',
    'Bearer invoq_user',
    'profile-worker (http://127.0.0.1:3101/readyz)',
    'dev.env',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('secret');
  expect(without).toMatch(/Workers +none/);
  // Without the folder the command would stop another product.
  expect(text).toContain(`Ctrl-C or INVOQ_DATA_DIR=${folder.path} npm stop stops everything`);
  // A first call is one that is answered.
  expect(text).toContain('/tools/calc_metrics');
  expect(without).not.toContain('calc_metrics');
});
