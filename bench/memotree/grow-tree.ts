// A committed and indexed tree of a wanted size, written by the database itself: ten children a node, texts of a few hundred characters.
import type { Client } from 'pg';

export interface GrownTree {
  readonly workspaceId: number;
  readonly layerId: number;
}

interface Place {
  readonly tenantId: string;
  readonly workspace: string;
}

const children = 10;
export const distinctTexts = 1_000;

/** Id of the node of that number, 0 for the first child of the root. */
export function idOf(number: number): string {
  return (number + 1).toString(16).padStart(12, '0');
}

/** Null while the workspace only has its root. */
export async function findTree(client: Client, place: Place): Promise<GrownTree | null> {
  const main = await mainOf(client, place);
  const { rows } = await client.query('SELECT 1 FROM memotree_commit WHERE layer_id = $1 LIMIT 1', [main.layerId]);
  return rows.length > 0 ? main : null;
}

/** Nodes, texts and the commit that they came with. The workspace must be there. */
export async function growTree(client: Client, place: Place, nodes: number): Promise<GrownTree> {
  const { workspaceId, layerId } = await mainOf(client, place);
  await client.query(
    `INSERT INTO memotree_text SELECT $1, encode(sha256(convert_to(text, 'UTF8')), 'hex'), text FROM (
       SELECT string_agg('Note ' || t || ' says that part ' || s || ' of the plan depends on ' || (t * s) % 977 || '. 第' || t || '条讲折叠。', ' ') AS text
       FROM generate_series(0, $2::int - 1) t, generate_series(1, 4) s GROUP BY t) made ON CONFLICT DO NOTHING`,
    [workspaceId, distinctTexts],
  );
  const { rows } = await client.query<{ seq: number }>(
    `INSERT INTO memotree_commit (workspace_id, layer_id, hash, parent_seq, message, author_name, author_email, authored_at, committer, committed_at, changes)
     VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'), 0, 'grown', 'bench', '', now()::text, 'bench', now(), $4) RETURNING seq`,
    [workspaceId, layerId, place.tenantId + place.workspace, nodes],
  );
  const seq = rows[0]?.seq ?? 0;
  // One node in a hundred is related to another.
  await client.query(
    `INSERT INTO memotree_version (layer_id, node_id, seq, until_seq, parent_id, position, type, title, tags, detail_hash, detail_chars,
       detail_tokens, summary_of, relations, targets, state_hash)
     SELECT $1, lpad(to_hex(n + 1), 12, '0'), $2, 2147483647, CASE WHEN n < $4 THEN 'root' ELSE lpad(to_hex(n / $4), 12, '0') END,
       'a' || (n % $4), 'Concept', 'Node ' || n, ARRAY['t' || n % 100], text.hash, length(text.text), length(text.text) / 4, NULL,
       CASE WHEN n % 100 = 7 THEN jsonb_build_array(jsonb_build_object('id', lpad(to_hex(n), 12, 'e'), 'type', 'DependsOn', 'targetId',
         lpad(to_hex(n / 2 + 1), 12, '0'), 'description', '')) ELSE '[]' END,
       CASE WHEN n % 100 = 7 THEN ARRAY[lpad(to_hex(n / 2 + 1), 12, '0')] ELSE '{}' END, md5(n::text)
     FROM generate_series(0, $3::int - 1) n
     JOIN (SELECT row_number() OVER (ORDER BY hash) - 1 AS number, hash, text FROM memotree_text WHERE workspace_id = $5 AND text <> '') text
       ON text.number = n % $6`,
    [layerId, seq, nodes, children, workspaceId, distinctTexts],
  );
  await client.query('UPDATE memotree_layer SET head_seq = $2 WHERE id = $1', [layerId, seq]);
  await client.query('ANALYZE memotree_version, memotree_text, memotree_layer, memotree_commit');
  return { workspaceId, layerId };
}

/**
 * The search index of all nodes after the first thousand, which the product has indexed itself: each is like the one with the same
 * text, but for the number in its title.
 */
export async function growIndex(client: Client, layerId: number, nodes: number): Promise<void> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM retrieval_space WHERE name = $1', [`memotree:${layerId}`]);
  const space = rows[0]?.id ?? 0;
  await client.query(`SET work_mem = '1500MB'`);
  await client.query(
    `CREATE TEMP TABLE sample AS SELECT *, ('x' || lpad(ref, 16, '0'))::bit(64)::bigint - 1 AS number FROM retrieval_unit WHERE space_id = $1 AND ref <> 'root'`,
    [space],
  );
  await client.query(
    `WITH numbers AS (
       INSERT INTO retrieval_term (space_id, term, df) SELECT $1, n::text, 1 FROM generate_series($2::int, $3::int - 1) n ORDER BY n::text COLLATE "C"
       RETURNING id, term)
     INSERT INTO retrieval_unit (space_id, ref, parent, labels, length, terms, tfs, impacts, heads)
     SELECT $1, lpad(to_hex(numbers.term::int + 1), 12, '0'), NULL, sample.labels, sample.length, ARRAY[sample.terms[1], numbers.id] || sample.terms[3:],
       sample.tfs, sample.impacts, ARRAY[sample.terms[1], numbers.id]
     FROM numbers JOIN sample ON sample.number = numbers.term::int % $2 ORDER BY numbers.term::int`,
    [space, distinctTexts, nodes],
  );
  await client.query(
    `INSERT INTO retrieval_posting (term_id, impact, unit_id)
     SELECT held.term_id, held.impact, unit.id FROM retrieval_unit unit, unnest(unit.terms, unit.impacts) AS held(term_id, impact)
     WHERE unit.space_id = $1 AND unit.id > (SELECT max(id) FROM sample) ORDER BY 1, 2, 3`,
    [space],
  );
  await client.query(
    `UPDATE retrieval_term term SET df = held.units FROM (
       SELECT term_id, count(*) * ($1::int / $2::int) AS units FROM sample, unnest(sample.terms) AS t(term_id) GROUP BY term_id) held WHERE term.id = held.term_id`,
    [nodes, distinctTexts],
  );
  await client.query(
    `UPDATE retrieval_space SET units = $2::int, total_length = (SELECT avg(length) * $2::int FROM sample)::bigint WHERE id = $1`,
    [space, nodes],
  );
  await client.query('ANALYZE retrieval_posting, retrieval_unit, retrieval_term, retrieval_space');
}

async function mainOf(client: Client, { tenantId, workspace }: Place): Promise<GrownTree> {
  const { rows } = await client.query<GrownTree>(
    `SELECT w.id AS "workspaceId", l.id AS "layerId" FROM memotree_workspace w JOIN memotree_layer l ON l.workspace_id = w.id AND l.name = 'main'
     WHERE w.tenant_id = $1 AND w.name = $2`,
    [tenantId, workspace],
  );
  const [main] = rows;
  if (!main) throw new Error(`open the workspace ${workspace} first`);
  return main;
}
