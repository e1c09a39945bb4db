// What a session is about to stage: one transaction, one writer of the session at a time.
import { estimateTokens } from '#lib/contracts';
import { sql, type SqlRunner } from '#lib/platform';
import { head } from './store/lineage.js';
import { stateHashOf, type NodeState, type NodeVersion } from './store/node-state.js';
import { Reader, versionsWhere } from './store/reader.js';
import { withStage, type Scope } from './store/scope.js';
import { textHash, writeTexts, writeVersions, type NewVersion } from './store/write-versions.js';
import { linkedIds } from './text/linked-ids.js';

/** The part of a node's state that its text decides. */
type TextFacts = Pick<NodeState, 'detailHash' | 'detailChars' | 'detailTokens'>;

export class Draft {
  readonly runner: SqlRunner;
  readonly scope: Scope;
  readonly stageId: number;
  /** The tree as the session sees it. */
  readonly reader: Reader;
  /** Nodes that this draft has staged or unstaged: what the search index must look at. */
  readonly touched = new Set<string>();

  private constructor(runner: SqlRunner, scope: Scope, stageId: number) {
    this.runner = runner;
    this.scope = scope;
    this.stageId = stageId;
    this.reader = new Reader(runner, scope.workspaceId, withStage(stageId, scope.committed));
  }

  /** Takes the session's stage for the rest of the transaction. */
  static async open(runner: SqlRunner, scope: Scope): Promise<Draft> {
    const [stage] = await runner.$queryRaw<{ id: number }[]>`
      INSERT INTO memotree_layer (workspace_id, parent_id, parent_seq, session_id)
      VALUES (${scope.workspaceId}::int, ${scope.branch.id}::int, ${head}::int, ${scope.sessionId}::int)
      ON CONFLICT (session_id, parent_id) DO UPDATE SET parent_seq = excluded.parent_seq RETURNING id`;
    if (!stage) throw new Error('a stage that was just made is not there');
    return new Draft(runner, scope, stage.id);
  }

  /** Stores a text and says what a state needs to know of it. */
  async storeText(text: string): Promise<TextFacts> {
    await writeTexts(this.runner, this.scope.workspaceId, [text]);
    return { detailHash: textHash(text), detailChars: text.length, detailTokens: estimateTokens(text) };
  }

  /**
   * Stages a node's new state. A state that is the committed one again is staged no longer.
   * @param before the version that this session saw, if there was one
   */
  async put(
    nodeId: string,
    state: NodeState,
    { before, message }: { readonly before: NodeVersion | undefined; readonly message: string },
  ): Promise<void> {
    const version = this.versionOf(nodeId, state, { before, message });
    this.touched.add(nodeId);
    if (await this.#isBase(version)) return this.unstage([nodeId]);
    await writeVersions(this.runner, { layerId: this.stageId, seq: 0 }, [version]);
  }

  /** The same for many nodes at once, none of which may be the committed one again. */
  async putAll(versions: readonly NewVersion[]): Promise<void> {
    for (const { nodeId } of versions) this.touched.add(nodeId);
    await writeVersions(this.runner, { layerId: this.stageId, seq: 0 }, versions);
  }

  versionOf(
    nodeId: string,
    state: NodeState,
    { before, message }: { readonly before: NodeVersion | undefined; readonly message: string },
  ): NewVersion {
    const isStaged = before?.layerId === this.stageId;
    return {
      ...state,
      nodeId,
      baseLayerId: (isStaged ? before.baseLayerId : before?.layerId) ?? null,
      baseSeq: (isStaged ? before.baseSeq : before?.seq) ?? null,
      message: message || (isStaged ? before.message : ''),
    };
  }

  async unstage(nodeIds: readonly string[]): Promise<void> {
    for (const nodeId of nodeIds) this.touched.add(nodeId);
    await this.runner.$executeRaw`DELETE FROM memotree_version WHERE layer_id = ${this.stageId}::int AND node_id = ANY(${nodeIds}::text[])`;
  }

  async #isBase(version: NewVersion): Promise<boolean> {
    if (version.baseLayerId === null) return false;
    const [base] = await versionsWhere(
      this.runner,
      sql`v.layer_id = ${version.baseLayerId}::int AND v.node_id = ${version.nodeId} AND v.seq = ${version.baseSeq}::int`,
    );
    return base?.stateHash === stateHashOf(version);
  }
}

/** Everything that a node points to: its relations, and the links in its content. */
export function targetsOf(nodeId: string, relations: NodeState['relations'], text: string): readonly string[] {
  return [...new Set([...relations.map(({ targetId }) => targetId), ...linkedIds(text)])].filter((id) => id !== nodeId);
}
