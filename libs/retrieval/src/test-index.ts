// An index for tests: spaces of their own in the shared Postgres, dropped at the end.
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { givenStores } from '#lib/testing';
import type { Embedder } from './embedding/embedder.js';
import { dropSpace, putUnits, type NewUnit } from './keyword/write-units.js';
import { inTransaction } from './sql.js';
import { tableOf } from './vectors/vector-store.js';

export class TestIndex {
  readonly pool = new Pool({ connectionString: givenStores().databaseUrl, max: 4 });
  readonly #name = `test:${randomBytes(5).toString('hex')}`;
  readonly #spaces = new Set<string>();
  readonly #models = new Set<string>();

  /** A space of this test alone. */
  space(name: string): string {
    const space = `${this.#name}:${name}`;
    this.#spaces.add(space);
    return space;
  }

  /** An embedder under a name of this test alone, so that its vectors have a table of their own. */
  embedder(name: string, embedder: Embedder): Embedder {
    const own = { ...embedder, name: `${this.#name}:${name}` };
    this.#models.add(own.name);
    return own;
  }

  put(space: string, units: readonly NewUnit[]): Promise<ReadonlyMap<string, number>> {
    return inTransaction(this.pool, (sql) => putUnits(sql, space, units));
  }

  async close(): Promise<void> {
    for (const space of this.#spaces) await inTransaction(this.pool, (sql) => dropSpace(sql, space));
    const models = await this.pool.query<{ id: number; dimension: number }>(
      'DELETE FROM retrieval_model WHERE name = ANY($1) RETURNING id, dimension',
      [[...this.#models]],
    );
    for (const model of models.rows) await this.pool.query(`DROP TABLE IF EXISTS ${tableOf(model)}`);
    await this.pool.end();
  }
}

/** A unit of a title and a text. */
export function unit(...[ref, title, text, rest = {}]: [string, string, string, Omit<Partial<NewUnit>, 'ref' | 'fields'>?]): NewUnit {
  return { ref, fields: [{ text: title, weight: 3, isHead: true }, { text }], ...rest };
}
