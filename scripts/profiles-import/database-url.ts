import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';

import { root } from '../root.js';
import { UsageError } from './options.js';

/** Where the database is: the environment says it, or else what `npm start` wrote. */
export function findDatabaseUrl(environment: NodeJS.ProcessEnv): string {
  const file = path.resolve(root, environment['INVOQ_DATA_DIR'] || '.data', 'dev.env');
  const url = environment['DATABASE_URL'] || parseEnv(readIfPresent(file))['DATABASE_URL'];
  if (!url) {
    throw new UsageError(`No database is known: DATABASE_URL is not set and not in ${file}. Run \`npm start\` first, or set DATABASE_URL.`);
  }
  if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must begin with postgresql:// or postgres://');
  return url;
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
