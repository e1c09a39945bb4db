// The scope of a call: workspace, session and branch, and the lineage that they show.
import { randomBytes } from 'node:crypto';
import type { Caller } from '#lib/contracts';
import { sql, type SqlRunner } from '#lib/platform';
import { Rejection } from '../rejection.js';
import { head, type Lineage } from './lineage.js';
import { textHash, writeTexts, writeVersions } from './write-versions.js';

export interface Scope {
  readonly workspaceId: number;
  readonly sessionId: number;
  /** The name of the caller in commits: the user id, or `key:` and the id of the credential. */
  readonly principal: string;
  readonly branch: { readonly id: number; readonly name: string; readonly headSeq: number };
  /** The stage of the session on this branch; null until something is staged. */
  readonly stageId: number | null;
  /** The lineage of the branch without the stage, as other sessions see it. */
  readonly committed: Lineage;
  /** The lineage that this session sees: its stage, then the branch. */
  readonly lineage: Lineage;
}

interface ScopeRequest {
  readonly caller: Caller;
  readonly sessionKey: string | null;
  readonly workspace: string | null | undefined;
}

const mainBranch = 'main';

/**
 * Opens the scope of a call. Creates workspace, main branch, root and session if they do not exist.
 * @throws Rejection PERMISSION_DENIED for the own workspace (`~user`) of another user
 */
export async function openScope(runner: SqlRunner, asked: ScopeRequest): Promise<Scope> {
  const principal = asked.caller.userId ?? `key:${asked.caller.credentialId}`;
  const own = `~${principal}`;
  const workspace = asked.workspace ?? own;
  if (workspace.startsWith('~') && workspace !== own)
    throw new Rejection('PERMISSION_DENIED', `The workspace '${workspace}' belongs to another user`);
  const place = { tenantId: asked.caller.tenantId, workspace, principal, key: asked.sessionKey ?? '' };
  const found = await findScope(runner, place);
  if (found) return found;
  await createScope(runner, place);
  const made = await findScope(runner, place);
  if (!made) throw new Error('a session that was just made is not there');
  return made;
}

interface ScopeKey {
  readonly tenantId: string;
  readonly workspace: string;
  readonly principal: string;
  readonly key: string;
}

interface LayerRow {
  readonly id: number;
  readonly name: string;
  readonly headSeq: number;
  readonly at: number;
  readonly workspaceId: number;
  readonly sessionId: number;
  readonly stageId: number | null;
}

async function findScope(runner: SqlRunner, { tenantId, workspace, principal, key }: ScopeKey): Promise<Scope | null> {
  const rows = await runner.$queryRaw<LayerRow[]>`
    WITH RECURSIVE me AS (
      SELECT s.id AS session_id, s.branch_id, w.id AS workspace_id
      FROM memotree_workspace w JOIN memotree_session s ON s.workspace_id = w.id AND s.principal = ${principal} AND s.key = ${key}
      WHERE w.tenant_id = ${tenantId} AND w.name = ${workspace}
    ), up AS (
      SELECT l.id, l.parent_id, l.parent_seq, l.name, l.head_seq, ${head}::int AS at, 1 AS step
      FROM me JOIN memotree_layer l ON l.id = me.branch_id
      UNION ALL
      SELECT l.id, l.parent_id, l.parent_seq, l.name, l.head_seq, up.parent_seq, up.step + 1
      FROM up JOIN memotree_layer l ON l.id = up.parent_id
    )
    SELECT up.id, up.name, up.head_seq AS "headSeq", up.at, me.workspace_id AS "workspaceId", me.session_id AS "sessionId",
      (SELECT s.id FROM memotree_layer s WHERE s.session_id = me.session_id AND s.parent_id = me.branch_id) AS "stageId"
    FROM up, me ORDER BY up.step`;
  const [branch, ...below] = rows;
  if (!branch) return null;
  const { workspaceId, sessionId, stageId } = branch;
  const committed: Lineage = [{ id: branch.id, at: branch.at }, ...below.map(({ id, at }) => ({ id, at }))];
  return {
    workspaceId,
    sessionId,
    principal,
    branch: { id: branch.id, name: branch.name, headSeq: branch.headSeq },
    stageId,
    committed,
    lineage: withStage(stageId, committed),
  };
}

/** Puts a stage before a lineage. */
export function withStage(stageId: number | null, committed: Lineage): Lineage {
  return stageId === null ? committed : [{ id: stageId, at: head }, ...committed];
}

/** The lineage of a layer at a commit, or at `head`. @throws Error if there is no such layer */
export async function lineageOf(runner: SqlRunner, layerId: number, at: number): Promise<Lineage> {
  const rows = await runner.$queryRaw<{ id: number; at: number }[]>`
    WITH RECURSIVE up AS (
      SELECT l.id, l.parent_id, l.parent_seq, ${at}::int AS at, 1 AS step FROM memotree_layer l WHERE l.id = ${layerId}::int
      UNION ALL
      SELECT l.id, l.parent_id, l.parent_seq, up.parent_seq, up.step + 1 FROM up JOIN memotree_layer l ON l.id = up.parent_id
    )
    SELECT id, at FROM up ORDER BY step`;
  const [first, ...rest] = rows;
  if (!first) throw new Error(`there is no layer ${layerId}`);
  return [first, ...rest];
}

/** Creates what is missing. Concurrent calls may do the same, so each statement tolerates that the row exists. */
async function createScope(runner: SqlRunner, { tenantId, workspace, principal, key }: ScopeKey): Promise<void> {
  await runner.$executeRaw`INSERT INTO memotree_workspace (tenant_id, name) VALUES (${tenantId}, ${workspace}) ON CONFLICT DO NOTHING`;
  const [own] = await runner.$queryRaw<
    { id: number }[]
  >`SELECT id FROM memotree_workspace WHERE tenant_id = ${tenantId} AND name = ${workspace}`;
  if (!own) throw new Error('a workspace that was just made is not there');
  await runner.$executeRaw`
    INSERT INTO memotree_layer (workspace_id, parent_seq, name) VALUES (${own.id}::int, 0, ${mainBranch}) ON CONFLICT DO NOTHING`;
  const [main] = await runner.$queryRaw<{ id: number }[]>(
    sql`SELECT id FROM memotree_layer WHERE workspace_id = ${own.id}::int AND name = ${mainBranch}`,
  );
  if (!main) throw new Error('a branch that was just made is not there');
  const [root] = await runner.$queryRaw<
    unknown[]
  >`SELECT 1 FROM memotree_version WHERE layer_id = ${main.id}::int AND node_id = 'root' LIMIT 1`;
  if (!root) {
    await writeTexts(runner, own.id, ['']);
    await writeVersions(runner, { layerId: main.id, seq: 0 }, [
      { ...emptyNode, nodeId: 'root', parentId: null, position: 'a0', title: 'MemoTree' },
    ]);
  }
  await runner.$executeRaw`
    INSERT INTO memotree_session (workspace_id, principal, key, branch_id)
    VALUES (${own.id}::int, ${principal}, ${key}, ${main.id}::int) ON CONFLICT DO NOTHING`;
}

const emptyNode = {
  deleted: false,
  type: 'Concept',
  tags: [],
  detailHash: textHash(''),
  detailChars: 0,
  detailTokens: 0,
  briefHash: null,
  summaryHash: null,
  summaryOf: null,
  relations: [],
  targets: [],
  baseLayerId: null,
  baseSeq: null,
  message: '',
} as const;

export function newNodeId(): string {
  return randomBytes(6).toString('hex');
}
