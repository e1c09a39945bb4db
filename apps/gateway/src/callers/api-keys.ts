import type { AuditedDatabase, Database } from '#lib/platform';
import type { ApiKeyDirectory } from './api-key-directory.js';

type Tables = AuditedDatabase<'apiKey'> & Pick<Database, '$queryRaw'>;

/** What key administration works on: the stored keys, and what this process remembers of them. */
export class ApiKeys {
  readonly database: Tables;
  readonly directory: ApiKeyDirectory;

  constructor(database: Tables, directory: ApiKeyDirectory) {
    this.database = database;
    this.directory = directory;
  }
}
