// A committed tree of a wanted size, written by the database itself: ten children a node, texts of a few hundred characters.
import type { Client } from 'pg';

export interface GrownTree {
  readonly workspace: string;
  readonly layerId: number;
  /** Id of the node of that number, 0 for the first child of the root. */
  readonly idOf: (number: number) => string;
}

const children = 10;
const texts = 1_000;

/** @param tenantId whose shared workspace it becomes */
export async function growTree(client: Client, tenantId: string, nodes: number): Promise<GrownTree> {
  const workspace = `size-${nodes}`;
  const { rows } = await client.query<{ workspace_id: number; layer_id: number }>(
    `SELECT w.id AS workspace_id, l.id AS layer_id FROM memotree_workspace w JOIN memotree_layer l ON l.workspace_id = w.id AND l.name = 'main'
     WHERE w.tenant_id = $1 AND w.name = $2`,
    [tenantId, workspace],
  );
  const [main] = rows;
  if (!main) throw new Error(`open the workspace ${workspace} before growing it`);
  const { workspace_id: workspaceId, layer_id: layerId } = main;
  await client.query(
    `INSERT INTO memotree_text SELECT $1, encode(sha256(convert_to(text, 'UTF8')), 'hex'), text FROM (
       SELECT string_agg('Note ' || t || ' says that part ' || s || ' of the plan depends on ' || (t * s) % 977 || '. 第' || t || '条讲折叠。', ' ') AS text
       FROM generate_series(1, $2) t, generate_series(1, 8) s GROUP BY t) made ON CONFLICT DO NOTHING`,
    [workspaceId, texts],
  );
  const { rows: commits } = await client.query<{ seq: number }>(
    `INSERT INTO memotree_commit (workspace_id, layer_id, hash, parent_seq, message, author_name, author_email, authored_at, committer, committed_at, changes)
     VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'), 0, 'grown', 'bench', '', now()::text, 'bench', now(), $4) RETURNING seq`,
    [workspaceId, layerId, `${tenantId}${workspace}`, nodes],
  );
  const seq = commits[0]?.seq ?? 0;
  await client.query(
    `INSERT INTO memotree_version (layer_id, node_id, seq, until_seq, parent_id, position, type, title, tags, detail_hash, detail_chars,
       detail_tokens, summary_of, relations, targets, state_hash)
     SELECT $1, lpad(to_hex(n + 1), 12, '0'), $2, 2147483647, CASE WHEN n < $4 THEN 'root' ELSE lpad(to_hex(n / $4), 12, '0') END,
       'a' || (n % $4), 'Concept', 'Node ' || n, ARRAY['t' || n % 100], text.hash, length(text.text), length(text.text) / 4, NULL, '[]', '{}', md5(n::text)
     FROM generate_series(0, $3::int - 1) n
     JOIN (SELECT row_number() OVER (ORDER BY hash) - 1 AS number, hash, text FROM memotree_text WHERE workspace_id = $5) text ON text.number = n % $6`,
    [layerId, seq, nodes, children, workspaceId, texts],
  );
  await client.query('UPDATE memotree_layer SET head_seq = $2 WHERE id = $1', [layerId, seq]);
  await client.query('ANALYZE memotree_version');
  return { workspace, layerId, idOf: (number) => (number + 1).toString(16).padStart(12, '0') };
}
