import { hash } from 'node:crypto';
import { sql, type SqlRunner } from '#lib/platform';
import { forever } from './lineage.js';
import { stateHashOf, type NodeState } from './node-state.js';

export interface NewVersion extends NodeState {
  readonly nodeId: string;
  readonly baseLayerId: number | null;
  readonly baseSeq: number | null;
  readonly message: string;
}

/** Rows per statement. They are one JSON parameter, and larger ones only take memory. */
const batchSize = 1_000;

/** Writes present versions into a layer. A version of the same node and `seq` is replaced. */
export async function writeVersions(
  runner: SqlRunner,
  { layerId, seq }: { readonly layerId: number; readonly seq: number },
  versions: readonly NewVersion[],
): Promise<void> {
  for (let start = 0; start < versions.length; start += batchSize) {
    const rows = JSON.stringify(
      versions.slice(start, start + batchSize).map((one) => ({
        node_id: one.nodeId,
        deleted: one.deleted,
        parent_id: one.parentId,
        position: one.position,
        type: one.type,
        title: one.title,
        tags: one.tags,
        detail_hash: one.detailHash,
        detail_chars: one.detailChars,
        detail_tokens: one.detailTokens,
        brief_hash: one.briefHash,
        summary_hash: one.summaryHash,
        summary_of: one.summaryOf,
        relations: one.relations,
        targets: one.targets,
        state_hash: stateHashOf(one),
        base_layer_id: one.baseLayerId,
        base_seq: one.baseSeq,
        message: one.message,
      })),
    );
    await runner.$executeRaw`
      INSERT INTO memotree_version (layer_id, seq, until_seq, node_id, deleted, parent_id, position, type, title, tags, detail_hash,
        detail_chars, detail_tokens, brief_hash, summary_hash, summary_of, relations, targets, state_hash, base_layer_id, base_seq, message)
      SELECT ${layerId}::int, ${seq}::int, ${forever}::int, row.* FROM jsonb_to_recordset(${rows}::jsonb) AS row(node_id text, deleted boolean,
        parent_id text, position text, type memotree_node_type, title text, tags text[], detail_hash text, detail_chars int, detail_tokens int,
        brief_hash text, summary_hash text, summary_of text, relations jsonb, targets text[], state_hash text, base_layer_id int,
        base_seq int, message text)
      ON CONFLICT (layer_id, node_id, seq) DO UPDATE SET deleted = excluded.deleted, parent_id = excluded.parent_id,
        position = excluded.position, type = excluded.type, title = excluded.title, tags = excluded.tags, detail_hash = excluded.detail_hash,
        detail_chars = excluded.detail_chars, detail_tokens = excluded.detail_tokens, brief_hash = excluded.brief_hash,
        summary_hash = excluded.summary_hash, summary_of = excluded.summary_of, relations = excluded.relations, targets = excluded.targets,
        state_hash = excluded.state_hash, base_layer_id = excluded.base_layer_id, base_seq = excluded.base_seq, message = excluded.message,
        changed_at = now()`;
  }
}

/** SHA-256 of the text, in hexadecimal. */
export function textHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Stores texts by their hash, each once per workspace. */
export async function writeTexts(runner: SqlRunner, workspaceId: number, texts: readonly string[]): Promise<void> {
  const rows = JSON.stringify([...new Set(texts)].map((text) => ({ hash: textHash(text), text })));
  await runner.$executeRaw(sql`
    INSERT INTO memotree_text (workspace_id, hash, text)
    SELECT ${workspaceId}::int, hash, text FROM jsonb_to_recordset(${rows}::jsonb) AS row(hash text, text text)
    ON CONFLICT DO NOTHING`);
}
