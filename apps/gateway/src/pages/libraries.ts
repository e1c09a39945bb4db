import type { Caller, CollectionList, WorkspaceList } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { stored } from '../http/stored.js';

const unreachable = 'The database cannot be reached at the moment';
/** The tenant of collections that all tenants share. */
const everyTenant = '*';
const mostWorkspaces = 1_000;

interface CollectionRow {
  readonly name: string;
  readonly tenantId: string;
  readonly documents: number;
  readonly sections: number;
  readonly lastImport: Date | null;
}

interface WorkspaceRow {
  readonly name: string;
  readonly createdAt: Date;
  readonly branches: number;
}

/** Collections and workspaces, as the workers keep them. */
export class Libraries {
  readonly #database: Pick<Database, '$queryRaw'>;

  constructor(database: Pick<Database, '$queryRaw'>) {
    this.#database = database;
  }

  /** Throws NETWORK_ERROR. */
  async collections({ tenantId }: Caller): Promise<CollectionList['collections']> {
    const rows = await stored(
      unreachable,
      () => this.#database.$queryRaw<CollectionRow[]>`
        SELECT c.name, c.tenant_id AS "tenantId", coalesce(d.documents, 0) AS documents, coalesce(s.units, 0) AS sections, d."lastImport"
        FROM knowledge_collection c
        LEFT JOIN LATERAL (
          SELECT count(*)::int AS documents, max(imported_at) AS "lastImport" FROM knowledge_document WHERE collection_id = c.id
        ) d ON true
        LEFT JOIN retrieval_space s ON s.name = 'knowledge:' || c.id
        WHERE c.tenant_id IN (${tenantId}, ${everyTenant}) ORDER BY c.name, c.tenant_id`,
    );
    return rows.map(({ name, tenantId: owner, documents, sections, lastImport }) => ({
      name,
      is_shared: owner === everyTenant,
      documents,
      sections,
      last_import_at: lastImport?.toISOString() ?? null,
    }));
  }

  /**
   * The workspaces of the tenant, without those that belong to one principal (`~name`), except the caller's own, which comes first.
   * Throws NETWORK_ERROR.
   */
  async workspaces({ tenantId, userId, credentialId }: Caller): Promise<WorkspaceList['workspaces']> {
    const own = `~${userId ?? `key:${credentialId}`}`;
    const rows = await stored(
      unreachable,
      () => this.#database.$queryRaw<WorkspaceRow[]>`
        SELECT w.name, w.created_at AS "createdAt",
          (SELECT count(*)::int FROM memotree_layer l WHERE l.workspace_id = w.id AND l.name IS NOT NULL) AS branches
        FROM memotree_workspace w
        WHERE w.tenant_id = ${tenantId} AND (w.name = ${own} OR left(w.name, 1) <> '~')
        ORDER BY w.name = ${own} DESC, w.name LIMIT ${mostWorkspaces}`,
    );
    const [first] = rows;
    const missing = first?.name === own ? [] : [{ name: own, is_own: true, created_at: null, branches: 0 }];
    const found = rows.map(({ name, createdAt, branches }) => ({
      name,
      is_own: name === own,
      created_at: createdAt.toISOString(),
      branches,
    }));
    return [...missing, ...found];
  }
}
