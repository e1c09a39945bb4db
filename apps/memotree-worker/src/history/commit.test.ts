import { describe, expect, test } from '@jest/globals';
import { nodeVersion } from '../test-states.js';
import { staleChanges } from './commit.js';

const mine = nodeVersion('n', { title: 'mine', stateHash: 'mine', baseLayerId: 7, baseSeq: 3 });
const presentOf = (given: Parameters<typeof nodeVersion>[1]) => new Map([['n', nodeVersion('n', given)]]);

describe('a staged change', () => {
  test('of the version that is still there is not stale', () => {
    expect(staleChanges(presentOf({ layerId: 7, seq: 3, stateHash: 'base' }), [mine])).toEqual([]);
  });

  test.each([
    ['another commit', { layerId: 7, seq: 4 }],
    ['another layer', { layerId: 8, seq: 3 }],
  ])('of a version that %s replaced is stale, and says what others changed', (_what, at) => {
    expect(staleChanges(presentOf({ ...at, title: 'theirs', type: 'Plan', stateHash: 'theirs' }), [mine])).toEqual([
      { nodeId: 'n', title: 'theirs', fields: ['title', 'type'] },
    ]);
  });

  test('that others committed alike is not stale', () => {
    expect(staleChanges(presentOf({ layerId: 8, seq: 9, stateHash: 'mine' }), [mine])).toEqual([]);
  });

  test('of a node that the branch does not have is not stale', () => expect(staleChanges(new Map(), [mine])).toEqual([]));

  test('of a node that others deleted is stale in that', () => {
    expect(staleChanges(presentOf({ layerId: 7, seq: 4, deleted: true, stateHash: 'gone' }), [mine])).toMatchObject([
      { fields: ['deleted'] },
    ]);
  });
});
