import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lodLevels, type LodLevel } from '#lib/contracts';
import { nodeVersion } from '../test-states.js';
import { fitToBudget, type Costs } from './fit-to-budget.js';
import { walkShown, type ShownNode } from './layout.js';

const costs: Costs = { Brief: 10, Summary: 100, Detail: 1_000 };
const costOf = (): Costs => costs;

function shownNode(nodeId: string, given: Partial<ShownNode> = {}): ShownNode {
  return { node: nodeVersion(nodeId, { title: '' }), depth: 1, level: 'Title', expanded: false, used: -1, children: [], ...given };
}
const top = (...children: readonly ShownNode[]): ShownNode => shownNode('top', { depth: 0, children });
/** What a tree costs with these levels: 16 tokens a line and its depth, and 32 for the head. */
function total(tree: ShownNode, levels: ReadonlyMap<string, LodLevel>, listed: ReadonlySet<string>): number {
  const nodes = [...walkShown(tree)].filter(({ node }) => listed.has(node.nodeId));
  const textOf = (level: LodLevel): number => (level === 'Title' ? 0 : costs[level]);
  return 32 + nodes.reduce((sum, { node, depth }) => sum + 16 + depth + textOf(levels.get(node.nodeId) ?? 'Title'), 0);
}

describe('a view that fits', () => {
  test('stays as it is', () => {
    const tree = top(shownNode('a', { level: 'Detail', used: 1 }), shownNode('b', { level: 'Brief', used: 2 }));
    const { levels, lowered, listed } = fitToBudget(tree, costOf, 10_000);
    expect([levels.get('a'), levels.get('b'), lowered, listed.size]).toEqual(['Detail', 'Brief', [], 3]);
  });

  test('fits to the last token', () => {
    const tree = top(shownNode('a', { level: 'Detail', used: 1 }));
    const exact = 32 + 16 + 17 + 1_000;
    expect(fitToBudget(tree, costOf, exact).lowered).toEqual([]);
    expect(fitToBudget(tree, costOf, exact - 1).lowered).toEqual(['a']);
  });
});

describe('a view that does not fit', () => {
  const tree = top(shownNode('old', { level: 'Detail', used: 1 }), shownNode('new', { level: 'Detail', used: 2 }));

  test('lowers what was used longest ago', () => {
    const { levels, lowered } = fitToBudget(tree, costOf, 1_300);
    expect([levels.get('old'), levels.get('new'), lowered]).toEqual(['Summary', 'Detail', ['old']]);
  });

  test('lowers all detail to summaries before any summary to a brief', () => {
    const { levels } = fitToBudget(tree, costOf, 350);
    expect([levels.get('old'), levels.get('new')]).toEqual(['Summary', 'Summary']);
  });

  test('lowers briefs to titles last', () => {
    expect([...fitToBudget(tree, costOf, 110).levels.values()]).toEqual(['Title', 'Brief', 'Brief']);
    expect([...fitToBudget(tree, costOf, 95).levels.values()]).toEqual(['Title', 'Title', 'Brief']);
    expect([...fitToBudget(tree, costOf, 85).levels.values()]).toEqual(['Title', 'Title', 'Title']);
  });

  test('leaves out the last of those without a state first, and keeps the top', () => {
    const many = top(shownNode('used', { used: 1 }), shownNode('a'), shownNode('b'));
    expect([...fitToBudget(many, costOf, 86).listed]).toEqual(['top', 'used', 'a']);
    expect([...fitToBudget(many, costOf, 71).listed]).toEqual(['top', 'used']);
    expect([...fitToBudget(many, costOf, 1).listed]).toEqual(['top']);
  });

  test('leaves out a child before its parent', () => {
    const deep = top(shownNode('parent', { children: [shownNode('child', { depth: 2 })] }));
    expect([...fitToBudget(deep, costOf, 72).listed]).toEqual(['top', 'parent']);
  });

  test('does not name what is left out among what is lowered', () => {
    const { lowered, listed } = fitToBudget(top(shownNode('a', { level: 'Detail', used: 1 })), costOf, 1);
    expect([lowered, [...listed]]).toEqual([[], ['top']]);
  });
});

describe('of any view and budget', () => {
  const levels = fc.constantFrom(...lodLevels);
  const child = fc.record({ level: levels, used: fc.integer({ min: -1, max: 9 }), grandchildren: fc.array(levels, { maxLength: 3 }) });
  const anyTree = fc.array(child, { maxLength: 6 }).map((given) =>
    top(
      ...given.map(({ level, used, grandchildren }, n) =>
        shownNode(`c${n}`, {
          level,
          used,
          children: grandchildren.map((one, m) => shownNode(`c${n}.${m}`, { depth: 2, level: one, used: m })),
        }),
      ),
    ),
  );
  const budget = fc.integer({ min: 1, max: 8_000 });

  test('the result fits, unless nothing but the top is left', () => {
    fc.assert(
      fc.property(anyTree, budget, (tree, maxTokens) => {
        const fitted = fitToBudget(tree, costOf, maxTokens);
        if (fitted.listed.size > 1) expect(total(tree, fitted.levels, fitted.listed)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  test('no level rises, exactly the lowered ones fall, and no node stands without its parent', () => {
    fc.assert(
      fc.property(anyTree, budget, (tree, maxTokens) => {
        const { levels: after, lowered, listed } = fitToBudget(tree, costOf, maxTokens);
        for (const { node, level, children } of walkShown(tree)) {
          const now = after.get(node.nodeId) ?? 'Title';
          expect(lodLevels.indexOf(now)).toBeLessThanOrEqual(lodLevels.indexOf(level));
          if (listed.has(node.nodeId)) expect(lowered.includes(node.nodeId)).toBe(now !== level);
          if (children.some((one) => listed.has(one.node.nodeId))) expect(listed.has(node.nodeId)).toBe(true);
        }
      }),
    );
  });

  test('a larger budget never shows less', () => {
    fc.assert(
      fc.property(anyTree, budget, budget, (tree, a, b) => {
        const [small, large] = [Math.min(a, b), Math.max(a, b)].map((one) => fitToBudget(tree, costOf, one));
        for (const id of small?.listed ?? []) expect(large?.listed.has(id)).toBe(true);
      }),
    );
  });
});
