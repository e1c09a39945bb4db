import { mkdirSync, mkdtempDisposableSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { removeOtherTemplates } from './other-templates.js';

test('templates of other versions are removed, also unfinished ones, and nothing else', () => {
  using cache = mkdtempDisposableSync(join(tmpdir(), 'invoq-templates-'));
  for (const name of ['postgres-new', 'postgres-new.17', 'postgres-old', 'postgres-older.4', 'other']) {
    mkdirSync(join(cache.path, name));
    writeFileSync(join(cache.path, name, 'PG_VERSION'), '17');
  }
  removeOtherTemplates(join(cache.path, 'postgres-new'));
  expect(readdirSync(cache.path).toSorted()).toEqual(['other', 'postgres-new', 'postgres-new.17']);
});
