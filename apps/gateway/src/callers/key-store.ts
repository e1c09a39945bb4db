import { Injectable } from '@nestjs/common';
import { modelRows, type Database } from '#lib/platform';
import { Stores } from '../stores.js';

export type KeyRow = NonNullable<Awaited<ReturnType<Database['apiKey']['findUnique']>>>;

/** A key as Postgres has it. Null where there is none. */
export async function storedKey(database: Pick<Database, '$queryRaw'>, id: string): Promise<KeyRow | null> {
  const [row = null] = await modelRows<KeyRow>(database.$queryRaw`SELECT * FROM api_key WHERE id = ${id}`, {
    scopes: [],
    serves: [],
    tools: [],
  });
  return row;
}

/** API keys in Postgres. Rejects when it is away. */
@Injectable()
export class KeyStore {
  constructor(private readonly stores: Stores) {}

  async find(id: string): Promise<KeyRow | null> {
    return storedKey(this.stores.database, id);
  }
}
