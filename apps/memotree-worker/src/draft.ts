// The changes that a session is staging, in one transaction. One transaction at a time writes a session's stage.
import { estimateTokens } from '#lib/contracts';
import { sql, type SqlRunner } from '#lib/platform';
import { head } from './store/lineage.js';
import { stateHashOf, type NodeState, type NodeVersion } from './store/node-state.js';
import { Reader, versionsWhere } from './store/reader.js';
import { withStage, type Scope } from './store/scope.js';
import { textHash, writeTexts, writeVersions, type NewVersion } from './store/write-versions.js';
import { linkedIds } from './text/linked-ids.js';
import { MergedTexts } from './text/merged-texts.js';

/** The fields of a state that follow from its text. */
type TextFacts = Pick<NodeState, 'detailHash' | 'detailChars' | 'detailTokens'>;

export class Draft {
  readonly runner: SqlRunner;
  readonly scope: Scope;
  readonly stageId: number;
  /** The tree as the session sees it, with its stage. */
  readonly reader: Reader;
  readonly merges: MergedTexts;
  /** Nodes that this draft has staged or unstaged, for the search index. */
  readonly touched = new Set<string>();

  private constructor({ runner, scope, merges }: Pick<Draft, 'runner' | 'scope' | 'merges'>, stageId: number) {
    this.runner = runner;
    this.scope = scope;
    this.merges = merges;
    this.stageId = stageId;
    this.reader = new Reader(runner, scope.workspaceId, withStage(stageId, scope.committed));
  }

  /** Creates the stage of the session if needed, and locks it until the end of the transaction. */
  static async open(runner: SqlRunner, scope: Scope, merges = new MergedTexts()): Promise<Draft> {
    const [stage] = await runner.$queryRaw<{ id: number }[]>`
      INSERT INTO memotree_layer (workspace_id, parent_id, parent_seq, session_id)
      VALUES (${scope.workspaceId}::int, ${scope.branch.id}::int, ${head}::int, ${scope.sessionId}::int)
      ON CONFLICT (session_id, parent_id) DO UPDATE SET parent_seq = excluded.parent_seq RETURNING id`;
    if (!stage) throw new Error('a stage that was just made is not there');
    return new Draft({ runner, scope, merges }, stage.id);
  }

  /** Stores a text. @returns the fields of a state that follow from it */
  async storeText(text: string): Promise<TextFacts> {
    await writeTexts(this.runner, this.scope.workspaceId, [text]);
    return { detailHash: textHash(text), detailChars: text.length, detailTokens: estimateTokens(text) };
  }

  /**
   * Stages the new state of a node. A state that equals the committed one again is unstaged.
   * @param before the version that this session saw, if any
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

  /** Stages many nodes at once. None of them may equal its committed state. */
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

  /** Removes the staged changes of nodes. */
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

/** The ids that a node refers to: targets of its relations and links in its content, without itself. */
export function targetsOf(nodeId: string, relations: NodeState['relations'], text: string): readonly string[] {
  return [...new Set([...relations.map(({ targetId }) => targetId), ...linkedIds(text)])].filter((id) => id !== nodeId);
}
