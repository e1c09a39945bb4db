import { describe, expect, test } from '@jest/globals';
import type { LodLevel } from '#lib/contracts';
import { nodeVersion } from '../test-states.js';
import type { NodeVersion } from '../store/node-state.js';
import { renderCanvas } from './render.js';
import { walkShown, type ShownNode } from './layout.js';

interface Given {
  readonly node?: Partial<NodeVersion>;
  readonly level?: LodLevel;
  readonly expanded?: boolean;
  readonly children?: readonly ShownNode[];
}

function shownNode(nodeId: string, depth: number, { node, level = 'Title', expanded = false, children = [] }: Given = {}): ShownNode {
  return { node: nodeVersion(nodeId, { title: nodeId, ...node }), depth, level, expanded, used: -1, children };
}

function render(
  top: ShownNode,
  { texts = {}, counts = {}, hidden = [] }: { texts?: Record<string, string>; counts?: Record<string, number>; hidden?: string[] } = {},
) {
  const all = [...walkShown(top)];
  const levels = new Map(all.map(({ node, level }) => [node.nodeId, level]));
  const listed = new Set(all.map(({ node }) => node.nodeId).filter((id) => !hidden.includes(id)));
  return renderCanvas(
    top,
    { levels, lowered: [], listed },
    { textOf: ({ node }) => texts[node.nodeId] ?? '', childCountOf: (id) => counts[id] ?? 0 },
  );
}

test('the head names the top, and counts nodes and characters', () => {
  const { markdown, expandedNodes, shownNodes } = render(shownNode('root', 0, { node: { title: 'MemoTree' }, expanded: true }));
  expect(markdown).toBe('# MemoTree [root] (1/1 nodes expanded, 8 chars)\n');
  expect([expandedNodes, shownNodes]).toEqual([1, 1]);
});

test('many characters are told in thousands', () => {
  expect(render(shownNode('root', 0, { level: 'Detail' }), { texts: { root: 'x'.repeat(1_200) } }).markdown).toContain('1.2K chars');
});

test('children are a nested list, in their order', () => {
  const tree = shownNode('top', 0, { children: [shownNode('a', 1, { children: [shownNode('b', 2)] }), shownNode('c', 1)] });
  expect(render(tree).markdown.split('\n').slice(1, -1)).toEqual(['- a [a]', '  - b [b]', '- c [c]']);
});

describe('a line', () => {
  test.each<[string, Given, string]>([
    ['has the type, where it is not the usual one', { node: { type: 'Plan' } }, '- a [a] Plan'],
    ['has the tags', { node: { tags: ['x', 'y'] } }, '- a [a] #x #y'],
    ['says what unfolding costs', { node: { detailChars: 300 } }, '- a [a] (+300 chars)'],
    ['says it in full at Detail', { node: { detailChars: 300 }, level: 'Detail' }, '- a [a]'],
    ['has a title of one line', { node: { title: 'two\nlines\t here' } }, '- two lines here [a]'],
    ['says that there is no title', { node: { title: ' \n' } }, '- (untitled) [a]'],
  ])('%s', (_what, given, expected) => {
    expect(render(shownNode('top', 0, { children: [shownNode('a', 1, given)] })).markdown.split('\n')[1]).toBe(expected);
  });

  test.each([
    [1, '- a [a] (+1 child)'],
    [3, '- a [a] (+3 children)'],
  ])('counts %i children that are not shown', (count, expected) => {
    expect(render(shownNode('top', 0, { children: [shownNode('a', 1)] }), { counts: { a: count } }).markdown).toContain(expected);
  });

  test('counts children that were left out', () => {
    const tree = shownNode('top', 0, { children: [shownNode('a', 1, { children: [shownNode('b', 2), shownNode('c', 2)] })] });
    const { markdown, shownNodes } = render(tree, { counts: { a: 2 }, hidden: ['c'] });
    expect(markdown).toContain('- a [a] (+1 child)\n  - b [b]\n');
    expect(shownNodes).toBe(3);
  });
});

describe('a text', () => {
  const below = (text: string): readonly string[] =>
    render(shownNode('top', 0, { children: [shownNode('a', 1, { level: 'Detail' })] }), { texts: { a: text } })
      .markdown.split('\n')
      .slice(2, -1);

  test('stands below its line, indented', () => expect(below('one\ntwo')).toEqual(['  one', '  two']));
  test('keeps empty lines empty', () => expect(below('one\n\ntwo')).toEqual(['  one', '', '  two']));
  test('ends without blanks', () => expect(below('one\n\n \n')).toEqual(['  one']));
  test('of the top is not indented', () => {
    expect(render(shownNode('top', 0, { level: 'Detail' }), { texts: { top: 'words' } }).markdown).toContain('\nwords\n');
  });
});
