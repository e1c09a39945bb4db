// The state of a node at one moment, and the hash by which two states are compared.
import { hash } from 'node:crypto';
import type { NodeType, RelationType } from '#lib/contracts';

export interface Relation {
  readonly id: string;
  readonly type: RelationType;
  readonly targetId: string;
  readonly description: string;
}

export interface NodeState {
  readonly deleted: boolean;
  /** Null only for the root. */
  readonly parentId: string | null;
  readonly position: string;
  readonly type: NodeType;
  readonly title: string;
  readonly tags: readonly string[];
  readonly detailHash: string;
  readonly detailChars: number;
  readonly detailTokens: number;
  readonly briefHash: string | null;
  readonly summaryHash: string | null;
  readonly summaryOf: string | null;
  readonly relations: readonly Relation[];
  readonly targets: readonly string[];
}

export interface NodeVersion extends NodeState {
  readonly nodeId: string;
  readonly layerId: number;
  readonly seq: number;
  readonly untilSeq: number;
  readonly stateHash: string;
  readonly baseLayerId: number | null;
  readonly baseSeq: number | null;
  readonly message: string;
}

/** The fields that lists need; reading a whole version costs several times as much. */
export type ListedNode = Pick<
  NodeVersion,
  | 'nodeId'
  | 'parentId'
  | 'position'
  | 'deleted'
  | 'type'
  | 'title'
  | 'tags'
  | 'detailHash'
  | 'detailChars'
  | 'detailTokens'
  | 'briefHash'
  | 'summaryHash'
  | 'summaryOf'
>;

/** The fields that are compared, by the names that callers see. */
const comparedFields = ['title', 'type', 'tags', 'content', 'brief', 'summary', 'parentId', 'position', 'relations'] as const;
export type ComparedField = (typeof comparedFields)[number];

/** The value of a field as a string; equal values give equal strings. */
export function fieldOf(state: NodeState, field: ComparedField): string {
  switch (field) {
    case 'content':
      return state.detailHash;
    case 'brief':
      return state.briefHash ?? '';
    case 'summary':
      return `${state.summaryHash ?? ''}:${state.summaryOf ?? ''}`;
    case 'tags':
      return JSON.stringify(state.tags);
    case 'relations':
      return JSON.stringify(state.relations.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    case 'parentId':
      return state.parentId ?? '';
    case 'title':
    case 'type':
    case 'position':
      return state[field];
  }
}

/** A hash over the fields that are compared and the deletion. Fields that are derived from others do not count. */
export function stateHashOf(state: NodeState): string {
  return hash('sha256', JSON.stringify([state.deleted, ...comparedFields.map((field) => fieldOf(state, field))]), 'hex');
}

/** The fields that differ, in the fixed order of the list above. */
export function differingFields(a: NodeState, b: NodeState): readonly ComparedField[] {
  return comparedFields.filter((field) => fieldOf(a, field) !== fieldOf(b, field));
}

export type ChangeKind = 'Added' | 'Modified' | 'Deleted' | 'Moved';

/** The change between two versions; null if a reader sees no difference. A tombstone counts as absent. */
export function changeBetween(
  before: NodeState | undefined,
  after: NodeState | undefined,
): { kind: ChangeKind; fields: readonly ComparedField[] } | null {
  const was = before?.deleted ? undefined : before;
  const is = after?.deleted ? undefined : after;
  if (!was) return is ? { kind: 'Added', fields: [] } : null;
  if (!is) return { kind: 'Deleted', fields: [] };
  const fields = differingFields(was, is);
  if (fields.length === 0) return null;
  return { kind: fields.every((field) => field === 'parentId' || field === 'position') ? 'Moved' : 'Modified', fields };
}
