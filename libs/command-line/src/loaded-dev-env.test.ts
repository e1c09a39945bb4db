import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import { devEnvMark, forgetLoadedStores } from './loaded-dev-env.js';

const stores = { REDIS_URL: 'redis://127.0.0.1:6390', DATABASE_URL: 'postgresql://u:p@127.0.0.1:5490/db' };

test.each(['plain', 'two words', 'it\'s (mine) & $HOME `x` "q" #1 我的 工具'])(
  'a shell and Node read the mark of a folder named %s',
  (name) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-mark-'));
    const file = join(folder.path, `${name}.env`);
    writeFileSync(file, `${devEnvMark(file, stores)}\nREDIS_URL=${stores.REDIS_URL}\nDATABASE_URL=${stores.DATABASE_URL}\n`);
    const shell = execFileSync('sh', ['-c', 'set -a; . "$FILE"; exec "$NODE" -p "JSON.stringify(process.env)"'], {
      env: { FILE: file, NODE: process.execPath },
      encoding: 'utf8',
    });
    for (const loaded of [JSON.parse(shell), parseEnv(execFileSync('cat', [file], { encoding: 'utf8' }))]) {
      const environment = { ...loaded, KEPT: '1' };
      expect(forgetLoadedStores(environment)).toBe(file);
      expect(environment).toMatchObject({ KEPT: '1' });
      for (const gone of ['REDIS_URL', 'DATABASE_URL', 'INVOQ_DEV_ENV']) expect(environment).not.toHaveProperty(gone);
    }
  },
);

test('stores that were set after the file was loaded, or without it, are settings', () => {
  const [, value = ''] = /"(.*)"/.exec(devEnvMark('/a/dev.env', stores)) ?? [];
  const changed = { ...stores, REDIS_URL: 'redis://prod:6379', INVOQ_DEV_ENV: value };
  expect(forgetLoadedStores(changed)).toBeNull();
  expect(changed).toMatchObject({ REDIS_URL: 'redis://prod:6379', DATABASE_URL: stores.DATABASE_URL });
  for (const INVOQ_DEV_ENV of ['', 'nonsense', 'https://a/#1']) expect(forgetLoadedStores({ ...stores, INVOQ_DEV_ENV })).toBeNull();
  expect(forgetLoadedStores({ ...stores })).toBeNull();
});
