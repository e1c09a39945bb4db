import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyState, idOf, nodeState } from '../test-states.js';
import { changeBetween, differingFields, fieldOf, stateHashOf, type ComparedField, type NodeState } from './node-state.js';

const relations = [
  { id: idOf(2), type: 'Extends', targetId: idOf(9), description: '' },
  { id: idOf(1), type: 'References', targetId: idOf(8), description: 'x' },
] as const;

/** A change of each compared field. */
const changes: readonly [ComparedField, Partial<NodeState>][] = [
  ['title', { title: 'other' }],
  ['type', { type: 'Plan' }],
  ['tags', { tags: ['t'] }],
  ['content', { detailHash: 'other' }],
  ['brief', { briefHash: 'b' }],
  ['summary', { summaryHash: 's' }],
  ['summary', { summaryOf: 's' }],
  ['parentId', { parentId: idOf(3) }],
  ['position', { position: 'a9' }],
  ['relations', { relations }],
];

describe('two states', () => {
  test.each(changes)('that differ in %s say so, and have other hashes: %j', (field, change) => {
    const [before, after] = [nodeState(), nodeState(change)];
    expect(differingFields(before, after)).toEqual([field]);
    expect(stateHashOf(after)).not.toBe(stateHashOf(before));
    expect(fieldOf(after, field)).not.toBe(fieldOf(before, field));
  });

  test('are the same whatever is derived from them', () => {
    const derived = nodeState({ detailChars: 5, detailTokens: 7, targets: [idOf(4)] });
    expect(differingFields(nodeState(), derived)).toEqual([]);
    expect(stateHashOf(derived)).toBe(stateHashOf(nodeState()));
  });

  test('are the same whatever the order of their relations, not of their tags', () => {
    expect(differingFields(nodeState({ relations }), nodeState({ relations: relations.toReversed() }))).toEqual([]);
    expect(differingFields(nodeState({ tags: ['a', 'b'] }), nodeState({ tags: ['b', 'a'] }))).toEqual(['tags']);
  });

  test('have one hash exactly when no field differs', () => {
    fc.assert(
      fc.property(anyState, anyState, (a, b) => expect(stateHashOf(a) === stateHashOf(b)).toBe(differingFields(a, b).length === 0)),
    );
  });

  test('one of which is deleted have different hashes', () => {
    fc.assert(fc.property(anyState, (state) => expect(stateHashOf({ ...state, deleted: true })).not.toBe(stateHashOf(state))));
  });
});

describe('a change', () => {
  const state = nodeState();
  const deleted = nodeState({ deleted: true });

  test.each<[string, NodeState | undefined, NodeState | undefined, object | null]>([
    ['of nothing to a state', undefined, state, { kind: 'Added', fields: [] }],
    ['of a tombstone to a state', deleted, state, { kind: 'Added', fields: [] }],
    ['of a state to nothing', state, undefined, { kind: 'Deleted', fields: [] }],
    ['of a state to a tombstone', state, deleted, { kind: 'Deleted', fields: [] }],
    ['of nothing to nothing', undefined, undefined, null],
    ['of a tombstone to nothing', deleted, undefined, null],
    ['of nothing to a tombstone', undefined, deleted, null],
    ['of a state to itself', state, state, null],
    ['of the place', state, nodeState({ parentId: idOf(1), position: 'z' }), { kind: 'Moved', fields: ['parentId', 'position'] }],
    ['of the order', state, nodeState({ position: 'z' }), { kind: 'Moved', fields: ['position'] }],
    ['of the title', state, nodeState({ title: 'x' }), { kind: 'Modified', fields: ['title'] }],
    ['of title and place', state, nodeState({ title: 'x', parentId: idOf(1) }), { kind: 'Modified', fields: ['title', 'parentId'] }],
  ])('%s is told', (...[_what, before, after, expected]) => expect(changeBetween(before, after)).toEqual(expected));

  test('is none exactly when the fields are the same', () => {
    fc.assert(fc.property(anyState, anyState, (a, b) => expect(changeBetween(a, b)?.fields ?? []).toEqual(differingFields(a, b))));
  });
});
