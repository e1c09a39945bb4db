import type { AuditedDatabase } from '#lib/platform';
import type { ApiKeyDirectory } from './api-key-directory.js';

/** What key administration works on: the stored keys, and what this process remembers of them. */
export class ApiKeys {
  readonly database: AuditedDatabase<'apiKey'>;
  readonly directory: ApiKeyDirectory;

  constructor(database: AuditedDatabase<'apiKey'>, directory: ApiKeyDirectory) {
    this.database = database;
    this.directory = directory;
  }
}
