import { differingFields, fieldOf, type ComparedField, type NodeState } from '../store/node-state.js';

export interface FieldConflict {
  readonly field: ComparedField | 'deleted';
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

export type Preference = 'Neither' | 'Ours' | 'Theirs';

interface Sides {
  /** The last state that both sides had; without one every difference is a conflict. */
  readonly base: NodeState | undefined;
  readonly ours: NodeState;
  readonly theirs: NodeState;
}

/**
 * Merges two states of a node field by field (MT-55).
 * - A field that one side changed has that side's value.
 * - Tags and relations are merged item by item.
 * - A position among the same siblings that both sides changed is ours.
 * - A field that both sides changed differently is a conflict and keeps our value, unless one side is preferred.
 */
export function threeWay(
  { base, ours, theirs }: Sides,
  prefer: Preference,
): { readonly state: NodeState; readonly conflicts: readonly FieldConflict[] } {
  if (ours.deleted || theirs.deleted) return withDeletion({ base, ours, theirs }, prefer);
  if (!base) return withoutBase({ ours, theirs }, prefer);
  const conflicts: FieldConflict[] = [];
  const sideOf = (field: ComparedField): NodeState => {
    const [b, o, t] = [base, ours, theirs].map((state) => fieldOf(state, field));
    if (t === b || o === t) return ours;
    if (o === b) return theirs;
    if (prefer !== 'Neither') return prefer === 'Ours' ? ours : theirs;
    conflicts.push({ field, base: b ?? null, ours: o ?? null, theirs: t ?? null });
    return ours;
  };
  const content = sideOf('content');
  // Parent and position come from one side: a position only means something among its own siblings.
  const place = ours.parentId === theirs.parentId ? (ours.position === base.position ? theirs : ours) : sideOf('parentId');
  const { detailHash, detailChars, detailTokens } = content;
  const summary = summarySide();
  const relations = mergeLists(base.relations, ours.relations, theirs.relations);
  const links = (state: NodeState) => state.targets.filter((id) => !state.relations.some(({ targetId }) => targetId === id));
  const state: NodeState = {
    deleted: false,
    parentId: place.parentId,
    position: place.position,
    type: sideOf('type').type,
    title: sideOf('title').title,
    tags: mergeLists(base.tags, ours.tags, theirs.tags),
    detailHash,
    detailChars,
    detailTokens,
    briefHash: sideOf('brief').briefHash,
    summaryHash: summary.summaryHash,
    // A generated summary belongs to the content that was chosen.
    summaryOf: summary.summaryHash === null && ours.detailHash !== theirs.detailHash ? content.summaryOf : summary.summaryOf,
    relations,
    targets: [...new Set([...relations.map(({ targetId }) => targetId), ...links(content)])],
  };
  return { state, conflicts };

  /** A written summary comes before one that was only asked for. */
  function summarySide(): NodeState {
    const [byUs, byThem] = [ours, theirs].map((side) => side.summaryHash !== base?.summaryHash);
    if (byUs && byThem) return sideOf('summary');
    if (byUs || byThem) return byThem ? theirs : ours;
    if (theirs.summaryOf === base?.summaryOf) return ours;
    return ours.summaryOf === base?.summaryOf ? theirs : content;
  }
}

function withoutBase({ ours, theirs }: Pick<Sides, 'ours' | 'theirs'>, prefer: Preference): ReturnType<typeof threeWay> {
  if (prefer !== 'Neither') return { state: prefer === 'Ours' ? ours : theirs, conflicts: [] };
  const conflicts = differingFields(ours, theirs).map((field) => ({
    field,
    base: null,
    ours: fieldOf(ours, field),
    theirs: fieldOf(theirs, field),
  }));
  return { state: ours, conflicts };
}

/** One side or both deleted the node. A deletion of what the other side changed is a conflict. */
function withDeletion({ base, ours, theirs }: Sides, prefer: Preference): ReturnType<typeof threeWay> {
  if (ours.deleted && theirs.deleted) return { state: ours, conflicts: [] };
  if (prefer !== 'Neither') return { state: prefer === 'Ours' ? ours : theirs, conflicts: [] };
  const describeState = (state: NodeState): string => (state.deleted ? 'deleted' : 'there');
  return {
    state: ours,
    conflicts: [{ field: 'deleted', base: base ? describeState(base) : null, ours: describeState(ours), theirs: describeState(theirs) }],
  };
}

/** Our items and those that they added, without those that either side removed. Items are compared as JSON. */
function mergeLists<Item>(base: readonly Item[], ours: readonly Item[], theirs: readonly Item[]): readonly Item[] {
  const key = (item: Item): string => JSON.stringify(item);
  const [inBase, inTheirs, inOurs] = [base, theirs, ours].map((items) => new Set(items.map(key)));
  const kept = ours.filter((item) => inTheirs?.has(key(item)) || !inBase?.has(key(item)));
  const added = theirs.filter((item) => !inOurs?.has(key(item)) && !inBase?.has(key(item)));
  return [...kept, ...added];
}
