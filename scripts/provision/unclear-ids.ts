import { Client, escapeIdentifier } from 'pg';
import { tenantIdSchema, userIdSchema } from '#lib/contracts';
import { printError } from '#lib/command-line';

export interface UnclearId {
  readonly table: string;
  readonly column: string;
  readonly id: string;
  readonly rows: number;
  /** What is wrong with it. */
  readonly fault: string;
}

/** The columns that name somebody, of every table: a later table is not forgotten. The audit says what was, and nobody owns anything by it. */
const columnsOfIds = `
  SELECT c.table_name AS "table", c.column_name AS "column" FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.table_name !~ '^audit_event'
    AND (c.column_name IN ('tenant_id', 'user_id') OR (c.table_name = 'user' AND c.column_name = 'id'))
  ORDER BY 1, 2`;

/** Ids of tenants and users in the database that are not allowed any more: those that could be taken for others. */
export async function unclearIds(client: Client): Promise<readonly UnclearId[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(columnsOfIds);
  const found: UnclearId[] = [];
  for (const { table, column } of columns) {
    const name = escapeIdentifier(column);
    // Ordinary ids stay in the database: only the few that are not plain ASCII, or that may be reserved, are looked at one by one.
    const { rows } = await client.query<{ id: string; rows: number }>(
      `SELECT ${name} AS id, count(*)::int AS rows FROM ${escapeIdentifier(table)}
       WHERE ${name} !~ '^[!-~]([ -~]{0,126}[!-~])?$' COLLATE "C" OR ${name} ~ '^(key:.*|[*]|guests)$' GROUP BY 1 ORDER BY 1`,
    );
    const schema = column === 'tenant_id' ? tenantIdSchema : userIdSchema;
    for (const { id, rows: count } of rows) {
      const fault = isOurs(table, id) ? null : schema.safeParse(id).error?.issues[0]?.message;
      if (fault) found.push({ table, column, id, rows: count, fault });
    }
  }
  return found;
}

/** Names each unclear id. Nothing is changed: which of two readings is right only their tenant knows. */
export async function reportUnclearIds(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const { table, column, id, rows, fault } of await unclearIds(client))
      printError(`warning: ${table}.${column} ${JSON.stringify(id)} (${rows} rows) ${fault}; see "Unclear ids" in docs/runbook.md`);
  } finally {
    await client.end();
  }
}

/** Data of guests and collections of all tenants are ours; a key or a user of such a tenant is not. */
function isOurs(table: string, id: string): boolean {
  return (id === '*' || id === 'guests') && table !== 'api_key' && table !== 'user';
}
