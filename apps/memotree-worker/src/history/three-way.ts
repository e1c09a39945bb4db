import { differingFields, fieldOf, type ComparedField, type NodeState } from '../store/node-state.js';

export interface FieldConflict {
  readonly field: ComparedField | 'deleted';
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

export type Preference = 'Neither' | 'Ours' | 'Theirs';

interface Sides {
  /** Absent where they have no state in common: then every difference is a conflict. */
  readonly base: NodeState | undefined;
  readonly ours: NodeState;
  readonly theirs: NodeState;
}

/**
 * One state of three: a field that one side changed is that side's; tags and relations are united; a place among siblings that both
 * changed is ours. A field that both changed differently is a conflict, unless one side is preferred.
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
  // Among the same siblings a place that both changed is ours.
  const place = ours.parentId === theirs.parentId ? (ours.position === base.position ? theirs : ours) : sideOf('parentId');
  const { detailHash, detailChars, detailTokens } = content;
  const writtenSummary = ours.summaryHash !== base.summaryHash && theirs.summaryHash !== base.summaryHash;
  const summary = writtenSummary ? sideOf('summary') : theirs.summaryHash !== base.summaryHash ? theirs : ours;
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
    // A generated summary is that of the content that won.
    summaryOf: summary.summaryHash === null ? content.summaryOf : summary.summaryOf,
    relations,
    targets: [...new Set([...relations.map(({ targetId }) => targetId), ...links(content)])],
  };
  return { state, conflicts };
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

/** One side deleted what the other changed. */
function withDeletion({ base, ours, theirs }: Sides, prefer: Preference): ReturnType<typeof threeWay> {
  if (ours.deleted && theirs.deleted) return { state: ours, conflicts: [] };
  if (prefer !== 'Neither') return { state: prefer === 'Ours' ? ours : theirs, conflicts: [] };
  const describeState = (state: NodeState): string => (state.deleted ? 'deleted' : 'there');
  return {
    state: ours,
    conflicts: [{ field: 'deleted', base: base ? describeState(base) : null, ours: describeState(ours), theirs: describeState(theirs) }],
  };
}

/** What is ours and what they added, without what either took away. Compared as JSON. */
function mergeLists<Item>(base: readonly Item[], ours: readonly Item[], theirs: readonly Item[]): readonly Item[] {
  const key = (item: Item): string => JSON.stringify(item);
  const [inBase, inTheirs, inOurs] = [base, theirs, ours].map((items) => new Set(items.map(key)));
  const kept = ours.filter((item) => inTheirs?.has(key(item)) || !inBase?.has(key(item)));
  const added = theirs.filter((item) => !inOurs?.has(key(item)) && !inBase?.has(key(item)));
  return [...kept, ...added];
}
