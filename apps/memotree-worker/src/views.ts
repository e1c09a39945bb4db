// The state of a view: which nodes a session has unfolded, and how far. A node without a row is shown by its title.
import { lodLevels, type LodLevel } from '#lib/contracts';
import type { SqlRunner } from '#lib/platform';

export interface ViewState {
  readonly nodeId: string;
  readonly level: LodLevel;
  /** Whether its children are listed. */
  readonly expanded: boolean;
  /** Whether everything below it is hidden. */
  readonly folded: boolean;
}

interface Row {
  readonly nodeId: string;
  readonly level: number;
  readonly expanded: boolean;
  readonly folded: boolean;
}

/** Most states that are read, the newest first. No token budget could show more. */
const maxStates = 2_000;

export class View {
  readonly #runner: SqlRunner;
  readonly #sessionId: number;
  readonly #name: string;

  constructor(runner: SqlRunner, sessionId: number, name: string) {
    this.#runner = runner;
    this.#sessionId = sessionId;
    this.#name = name;
  }

  /** All states, least recently used first. */
  async states(): Promise<readonly ViewState[]> {
    const rows = await this.#runner.$queryRaw<Row[]>`
      SELECT node_id AS "nodeId", level, expanded, folded FROM memotree_view_state
      WHERE session_id = ${this.#sessionId}::int AND view = ${this.#name} ORDER BY touched_at DESC, node_id LIMIT ${maxStates}::int`;
    return rows.map(toState).toReversed();
  }

  async statesOf(nodeIds: readonly string[]): Promise<ReadonlyMap<string, ViewState>> {
    if (nodeIds.length === 0) return new Map();
    const rows = await this.#runner.$queryRaw<Row[]>`
      SELECT node_id AS "nodeId", level, expanded, folded FROM memotree_view_state
      WHERE session_id = ${this.#sessionId}::int AND view = ${this.#name} AND node_id = ANY(${nodeIds}::text[])`;
    return new Map(rows.map((row) => [row.nodeId, toState(row)]));
  }

  /** Sets the state of a node and unfolds its ancestors. @param ancestorIds in any order */
  async set({ nodeId, level, expanded, folded }: ViewState, ancestorIds: readonly string[]): Promise<void> {
    await this.#runner.$executeRaw`
      WITH way AS (
        UPDATE memotree_view_state SET folded = false
        WHERE session_id = ${this.#sessionId}::int AND view = ${this.#name} AND node_id = ANY(${ancestorIds}::text[]) AND folded
      )
      INSERT INTO memotree_view_state (session_id, view, node_id, level, expanded, folded, touched_at)
      VALUES (${this.#sessionId}::int, ${this.#name}, ${nodeId}, ${lodLevels.indexOf(level)}::smallint, ${expanded}, ${folded}, clock_timestamp())
      ON CONFLICT (session_id, view, node_id) DO UPDATE
        SET level = excluded.level, expanded = excluded.expanded, folded = excluded.folded, touched_at = excluded.touched_at`;
  }

  async remove(nodeIds: readonly string[]): Promise<void> {
    if (nodeIds.length === 0) return;
    await this.#runner.$executeRaw`
      DELETE FROM memotree_view_state
      WHERE session_id = ${this.#sessionId}::int AND view = ${this.#name} AND node_id = ANY(${nodeIds}::text[])`;
  }

  /** The node that was unfolded last, the default centre of scoped searches (C-69); null in an unused view. */
  async lastExpanded(): Promise<string | null> {
    const [row] = await this.#runner.$queryRaw<{ nodeId: string }[]>`
      SELECT node_id AS "nodeId" FROM memotree_view_state
      WHERE session_id = ${this.#sessionId}::int AND view = ${this.#name} AND NOT folded ORDER BY touched_at DESC LIMIT 1`;
    return row?.nodeId ?? null;
  }
}

/** Most states that are forgotten at once. */
const forgottenAtOnce = 1_000;

/**
 * Forgets states, of every session, that nobody has set for so many days: those nodes are shown by their titles again. Up to 1,000 of them,
 * without waiting for anybody.
 */
export async function deleteOldStates(runner: SqlRunner, days: number): Promise<void> {
  await runner.$executeRaw`
    DELETE FROM memotree_view_state AS state USING (
      SELECT session_id, view, node_id FROM memotree_view_state WHERE touched_at < now() - make_interval(days => ${days}::int)
      ORDER BY touched_at LIMIT ${forgottenAtOnce}::int FOR UPDATE SKIP LOCKED
    ) AS old
    WHERE state.session_id = old.session_id AND state.view = old.view AND state.node_id = old.node_id`;
}

function toState({ nodeId, level, expanded, folded }: Row): ViewState {
  return { nodeId, level: lodLevels[level] ?? 'Title', expanded, folded };
}
