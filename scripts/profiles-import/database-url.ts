import { settingOf, startFile } from '../environment.js';
import { UsageError } from './options.js';

/** Where the database is: the environment says it, or else what `npm start` wrote. */
export function findDatabaseUrl(environment: NodeJS.ProcessEnv): string {
  const url = settingOf('DATABASE_URL', environment);
  if (!url) {
    const file = startFile(environment);
    throw new UsageError(`No database is known: DATABASE_URL is not set and not in ${file}. Run \`npm start\` first, or set DATABASE_URL.`);
  }
  if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must begin with postgresql:// or postgres://');
  return url;
}
