import { Injectable } from '@nestjs/common';
import type { Caller, CollectionList, WorkspaceList } from '#lib/contracts';
import { stored } from '../http/stored.js';
import { Stores } from '../stores.js';

const unreachable = 'The database cannot be reached at the moment';
/** The tenant of collections that all tenants share. */
const everyTenant = '*';
const mostWorkspaces = 1_000;
const mostStaged = 1_000;

interface CollectionRow {
  readonly name: string;
  readonly tenantId: string;
  readonly documents: number;
  readonly sections: number;
  readonly lastImport: Date | null;
}

interface StagedRow {
  readonly workspace: string;
  readonly session: string;
  readonly branch: string;
  readonly changes: number;
}

interface WorkspaceRow {
  readonly name: string;
  readonly createdAt: Date;
  readonly branches: number;
}

/** Collections and workspaces, as the workers keep them. */
@Injectable()
export class Libraries {
  constructor(private readonly stores: Stores) {}

  /** Throws NETWORK_ERROR. */
  async collections({ tenantId }: Caller): Promise<CollectionList['collections']> {
    const rows = await stored(
      unreachable,
      () => this.stores.database.$queryRaw<CollectionRow[]>`
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
   * The workspaces of the tenant, without those that belong to one principal (`~name`), except the caller's own, which comes first. Each
   * with what sessions of the caller have staged in it. Throws NETWORK_ERROR.
   */
  async workspaces({ tenantId, userId, credentialId }: Caller): Promise<WorkspaceList['workspaces']> {
    const principal = userId ?? `key:${credentialId}`;
    const own = `~${principal}`;
    const staged = Map.groupBy(await this.#staged(tenantId, principal), ({ workspace }) => workspace);
    const stagedIn = (name: string) => (staged.get(name) ?? []).map(({ session, branch, changes }) => ({ session, branch, changes }));
    const rows = await stored(
      unreachable,
      () => this.stores.database.$queryRaw<WorkspaceRow[]>`
        SELECT w.name, w.created_at AS "createdAt",
          (SELECT count(*)::int FROM memotree_layer l WHERE l.workspace_id = w.id AND l.name IS NOT NULL) AS branches
        FROM memotree_workspace w
        WHERE w.tenant_id = ${tenantId} AND (w.name = ${own} OR left(w.name, 1) <> '~')
        ORDER BY w.name = ${own} DESC, w.name LIMIT ${mostWorkspaces}`,
    );
    const [first] = rows;
    const missing = first?.name === own ? [] : [{ name: own, is_own: true, created_at: null, branches: 0, staged: [] }];
    const found = rows.map(({ name, createdAt, branches }) => ({
      name,
      is_own: name === own,
      created_at: createdAt.toISOString(),
      branches,
      staged: stagedIn(name),
    }));
    return [...missing, ...found];
  }

  async #staged(tenantId: string, principal: string): Promise<readonly StagedRow[]> {
    return stored(
      unreachable,
      () => this.stores.database.$queryRaw<StagedRow[]>`
        SELECT w.name AS workspace, s.key AS session, b.name AS branch, v.changes
        FROM memotree_workspace w
        JOIN memotree_session s ON s.workspace_id = w.id AND s.principal = ${principal}
        JOIN memotree_layer l ON l.session_id = s.id
        JOIN memotree_layer b ON b.id = l.parent_id
        CROSS JOIN LATERAL (SELECT count(*)::int AS changes FROM memotree_version WHERE layer_id = l.id AND seq = 0) v
        WHERE w.tenant_id = ${tenantId} AND v.changes > 0
        ORDER BY w.name, s.key, b.name LIMIT ${mostStaged}`,
    );
  }
}
