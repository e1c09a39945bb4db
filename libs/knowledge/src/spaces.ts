import type { Sql } from '#lib/retrieval';

/** The tenant of public collections, which every tenant sees. */
export const everyTenant = '*';

/** The search space of a collection. */
export function spaceOf(collectionId: number): string {
  return `knowledge:${collectionId}`;
}

export interface CollectionRow {
  readonly id: number;
  readonly name: string;
  readonly tenantId: string;
}

/** The collections that a tenant sees: its own and the public ones. @param names restricts them to these names */
export async function visibleCollections(sql: Sql, tenantId: string, names?: readonly string[]): Promise<readonly CollectionRow[]> {
  const { rows } = await sql.query<{ id: number; name: string; tenant_id: string }>(
    'SELECT id, name, tenant_id FROM knowledge_collection WHERE tenant_id = ANY($1) AND ($2::text[] IS NULL OR name = ANY($2)) ORDER BY id',
    [[tenantId, everyTenant], names ?? null],
  );
  return rows.map(({ id, name, tenant_id }) => ({ id, name, tenantId: tenant_id }));
}

/** The id of a collection, which is created if necessary. */
export async function collectionId(sql: Sql, tenantId: string, name: string): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    `INSERT INTO knowledge_collection (tenant_id, name) VALUES ($1, $2)
     ON CONFLICT (tenant_id, name) DO UPDATE SET name = excluded.name RETURNING id`,
    [tenantId, name],
  );
  const [row] = rows;
  if (!row) throw new Error(`the collection ${name} could not be made`);
  return row.id;
}
