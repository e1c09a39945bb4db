// Prisma's pg adapter refuses "char", a type of the Postgres catalogue that the schema engine reads. Here "char" passes through the
// adapter as text, and the result gets its type back afterwards.
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlDriverAdapter, type SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Pool, QueryArrayConfig } from 'pg';

const charType = 18;
const textType = 25;

export class SchemaAdapter implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName = '@prisma/adapter-pg';
  readonly #inner: PrismaPg;
  /** By the text of a query: which of its columns are "char". */
  readonly #charColumns = new Map<string, readonly number[]>();

  constructor(pool: Pool) {
    this.#inner = new PrismaPg(this.#withCharsAsText(pool));
  }

  async connect(): Promise<SqlDriverAdapter> {
    return this.#corrected(await this.#inner.connect());
  }

  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    return this.#corrected(await this.#inner.connectToShadowDb());
  }

  #corrected(adapter: SqlDriverAdapter): SqlDriverAdapter {
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const column of this.#charColumns.get(query.sql) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  }

  #withCharsAsText(pool: Pool): Pool {
    const query = async (config: QueryArrayConfig): Promise<unknown> => {
      const result = await pool.query(config);
      const chars = result.fields.filter((field) => field.dataTypeID === charType);
      for (const field of chars) field.dataTypeID = textType;
      this.#charColumns.set(
        config.text,
        chars.map((field) => result.fields.indexOf(field)),
      );
      return result;
    };
    return new Proxy(pool, { get: (target, key): unknown => (key === 'query' ? query : Reflect.get(target, key, target)) });
  }
}
