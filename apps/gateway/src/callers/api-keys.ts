import { Injectable } from '@nestjs/common';
import type { AuditedDatabase, Database } from '#lib/platform';
import { ApiKeyDirectory } from './api-key-directory.js';
import { Stores } from '../stores.js';

type Tables = AuditedDatabase<'apiKey'> & Pick<Database, '$queryRaw'>;

/** What key administration works on: the stored keys, and what this process remembers of them. */
@Injectable()
export class ApiKeys {
  readonly database: Tables;
  readonly directory: ApiKeyDirectory;

  constructor({ database }: Stores, directory: ApiKeyDirectory) {
    this.database = database;
    this.directory = directory;
  }
}
