import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Ancestry, type PathStep } from './ancestry.js';

const step = (nodeId: string, parentId: string | null, deleted = false): PathStep => ({
  nodeId,
  parentId,
  deleted,
  title: `title of ${nodeId}`,
});
const root = step('root', null);

describe('a way to the root', () => {
  const ways = new Ancestry([
    root,
    step('a', 'root'),
    step('b', 'a'),
    step('c', 'b'),
    step('gone', 'a', true),
    step('below', 'gone'),
    step('lost', 'missing'),
  ]);

  test('names the node itself, then its ancestors', () => {
    expect([...ways.pathToRoot('c')].map(({ nodeId }) => nodeId)).toEqual(['c', 'b', 'a', 'root']);
    expect([...ways.pathToRoot('unknown')]).toEqual([]);
  });

  test('gives ancestors from the root down, without the node', () => {
    expect(ways.ancestors('c').map(({ nodeId }) => nodeId)).toEqual(['root', 'a', 'b']);
    expect(ways.ancestors('root')).toEqual([]);
  });

  test.each([
    ['root', 0],
    ['a', 1],
    ['c', 3],
    ['unknown', 0],
  ])('of %s has depth %i', (nodeId, depth) => expect(ways.depth(nodeId)).toBe(depth));

  test.each([
    ['root', true],
    ['c', true],
    ['gone', false],
    ['below', false],
    ['lost', false],
    ['unknown', false],
  ])('makes %s live: %s', (nodeId, live) => expect(ways.isLive(nodeId)).toBe(live));

  test.each([
    ['c', 'a', true],
    ['c', 'c', true],
    ['c', 'root', true],
    ['a', 'c', false],
    ['below', 'a', true],
    ['c', 'unknown', false],
  ])('puts %s under %s: %s', (nodeId, topId, under) => expect(ways.isUnder(nodeId, topId)).toBe(under));
});

test('a circle ends and is not live', () => {
  const circle = new Ancestry([root, step('a', 'b'), step('b', 'a')]);
  expect([...circle.pathToRoot('a')].map(({ nodeId }) => nodeId)).toEqual(['a', 'b']);
  expect(circle.isLive('a')).toBe(false);
});

test('without the root’s own row nothing is live', () => {
  expect(new Ancestry([step('a', 'root')]).isLive('a')).toBe(false);
});

test('of any tree, a node is live exactly when nothing on its way is deleted', () => {
  // Each node hangs on an earlier one, so the tree is rooted.
  const nodes = fc.array(fc.record({ parent: fc.nat(20), deleted: fc.boolean() }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(nodes, (given) => {
      const parentOf = (n: number, parent: number): string =>
        n === 0 ? 'root' : parent % (n + 1) === n ? 'root' : String(parent % (n + 1));
      const steps = given.map(({ parent, deleted }, n) => step(String(n), parentOf(n, parent), deleted));
      const ways = new Ancestry([root, ...steps]);
      for (const { nodeId } of steps) {
        const way = [...ways.pathToRoot(nodeId)];
        expect(way.at(-1)?.nodeId).toBe('root');
        expect(ways.isLive(nodeId)).toBe(way.every(({ deleted }) => !deleted));
        expect(ways.depth(nodeId)).toBe(way.length - 1);
        expect(ways.ancestors(nodeId)).toEqual(way.slice(1).toReversed());
        expect(way.every((one) => ways.isUnder(nodeId, one.nodeId))).toBe(true);
      }
    }),
  );
});
