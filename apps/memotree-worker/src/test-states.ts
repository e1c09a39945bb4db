// Node states for tests: one with defaults, and arbitrary ones.
import fc from 'fast-check';
import { nodeTypes, relationTypes } from '#lib/contracts';
import type { NodeState, NodeVersion, Relation } from './store/node-state.js';
import { textHash } from './store/write-versions.js';

/** An id of the shape that new nodes have. @param n any small integer */
export function idOf(n: number): string {
  return n.toString(16).padStart(12, '0');
}

export function nodeState(given: Partial<NodeState> = {}): NodeState {
  return {
    deleted: false,
    parentId: 'root',
    position: 'a0',
    type: 'Concept',
    title: 'title',
    tags: [],
    detailHash: textHash(''),
    detailChars: 0,
    detailTokens: 0,
    briefHash: null,
    summaryHash: null,
    summaryOf: null,
    relations: [],
    targets: [],
    ...given,
  };
}

export function nodeVersion(nodeId: string, given: Partial<NodeVersion> = {}): NodeVersion {
  const own = { layerId: 1, seq: 0, untilSeq: 2_147_483_647, stateHash: 'h', baseLayerId: null, baseSeq: null, message: '' };
  return { ...nodeState(given), nodeId, ...own, ...given };
}

const hash = fc.constantFrom('a', 'b', 'c').map(textHash);
const id = fc.integer({ min: 1, max: 4 }).map(idOf);

const relation: fc.Arbitrary<Relation> = fc.record({
  id,
  type: fc.constantFrom(...relationTypes),
  targetId: id,
  description: fc.constantFrom('', 'why'),
});

/** States from few values, so that equal fields are common. */
export const anyState: fc.Arbitrary<NodeState> = fc
  .record({
    deleted: fc.constant(false),
    parentId: fc.constantFrom('root', idOf(90), idOf(91)),
    position: fc.constantFrom('a0', 'a1', 'a2'),
    type: fc.constantFrom(...nodeTypes),
    title: fc.constantFrom('one', 'two', '三'),
    tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
    detailHash: hash,
    briefHash: fc.option(hash),
    summaryHash: fc.option(hash),
    summaryOf: fc.option(hash),
    relations: fc.uniqueArray(relation, { maxLength: 3, selector: (one) => one.id }),
  })
  .map((state) => ({
    ...state,
    detailChars: state.detailHash.length,
    detailTokens: 1,
    targets: [...new Set(state.relations.map(({ targetId }) => targetId))],
  }));
