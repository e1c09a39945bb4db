import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idOf } from '../test-states.js';
import { LinkNames } from './link-names.js';

interface Given {
  readonly source: string;
  readonly title?: string;
  readonly aliases?: readonly string[];
}

/** Ids are the places in the list. */
function namesOf(...nodes: readonly Given[]): LinkNames {
  return new LinkNames(nodes.map(({ source, title = source, aliases = [] }, n) => ({ node: { source, title, aliases }, nodeId: idOf(n) })));
}

function find(names: LinkNames, link: string, from = 'page'): string | undefined {
  const at = link.indexOf('#');
  return names.find({ name: at < 0 ? link : link.slice(0, at), heading: at < 0 ? '' : link.slice(at) }, from);
}

describe('a name', () => {
  const names = namesOf(
    { source: 'a/notes' },
    { source: 'b/notes' },
    { source: 'b/plan', title: 'The Plan', aliases: ['Roadmap', '路线'] },
    { source: 'Café' },
  );

  test.each([
    ['a/notes', idOf(0)],
    ['b/notes', idOf(1)],
    ['notes', idOf(0)],
    ['plan', idOf(2)],
    ['PLAN', idOf(2)],
    ['plan.md', idOf(2)],
    ['b/plan.MD', idOf(2)],
    ['The Plan', idOf(2)],
    ['the plan', idOf(2)],
    ['Roadmap', idOf(2)],
    ['路线', idOf(2)],
    ['wrong/folder/plan', idOf(2)],
    ['Cafe\u0301', idOf(3)],
    ['nowhere', undefined],
    ['', undefined],
  ])('%j means %s', (name, id) => expect(find(names, name)).toBe(id));

  test('means what lies beside the page first', () => {
    expect(find(names, 'notes', 'a/page')).toBe(idOf(0));
    expect(find(names, 'notes', 'b/page')).toBe(idOf(1));
    expect(find(names, '../a/notes', 'b/page')).toBe(idOf(0));
    expect(find(names, './notes', 'b/page')).toBe(idOf(1));
  });

  test('that leads out of the folder is looked for by its last part', () => {
    expect(find(names, '../../../notes', 'a/page')).toBe(idOf(0));
    expect(find(names, '../../nowhere', 'a/page')).toBeUndefined();
  });

  test('of a file comes before an alias, and an alias before a title', () => {
    const clash = namesOf({ source: 'x', title: 'name' }, { source: 'y', aliases: ['name'] }, { source: 'name' });
    expect(find(clash, 'name')).toBe(idOf(2));
    expect(find(namesOf({ source: 'x', title: 'name' }, { source: 'y', aliases: ['name'] }), 'name')).toBe(idOf(1));
  });

  test('of a node that was there before counts when nothing else has it', () => {
    const known = namesOf({ source: 'new' });
    known.addTitle('old', idOf(7));
    known.addTitle('new', idOf(8));
    expect([find(known, 'old'), find(known, 'new')]).toEqual([idOf(7), idOf(0)]);
    expect([known.has('old'), known.has('new'), known.has('none')]).toEqual([true, true, false]);
  });
});

describe('a heading', () => {
  const names = namesOf(
    { source: 'a/plan' },
    { source: 'a/plan#Steps' },
    { source: 'a/plan#Steps#First' },
    { source: 'b/plan' },
    { source: 'b/plan#Steps' },
    { source: 'b/plan#Either/Or' },
  );

  test.each([
    ['a/plan#Steps', 'page', idOf(1)],
    ['a/plan#steps', 'page', idOf(1)],
    ['a/plan#Steps#First', 'page', idOf(2)],
    ['a/plan#First', 'page', idOf(2)],
    ['b/plan#Steps', 'page', idOf(4)],
    ['plan#Steps', 'b/page', idOf(4)],
    ['plan#First', 'elsewhere/page', idOf(2)],
    ['#Steps', 'b/plan', idOf(4)],
    ['#Steps', 'b/plan#Either/Or', idOf(4)],
    ['#Either/Or', 'b/plan', idOf(5)],
    ['b/plan#Either/Or', 'page', idOf(5)],
    ['a/plan#Nowhere', 'page', undefined],
    ['#Steps', 'page', undefined],
    ['nowhere#Steps', 'page', undefined],
  ])('%j in %s means %s', (link, from, id) => expect(find(names, link, from)).toBe(id));
});

test('every file is found by its whole path, from anywhere', () => {
  const part = fc.stringMatching(/^[a-z0-9 _-]{1,6}$/);
  const source = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(source, { minLength: 1, maxLength: 8 }), source, (sources, from) => {
      const names = namesOf(...sources.map((one) => ({ source: one })));
      for (const [n, one] of sources.entries()) {
        // A file of that path beside the page would come first.
        const beside = [...from.split('/').slice(0, -1), ...one.split('/')].join('/');
        const expected = sources.indexOf(beside) < 0 ? n : sources.indexOf(beside);
        expect(find(names, one, from)).toBe(idOf(expected));
      }
    }),
  );
});

test('no name upsets the search', () => {
  const names = namesOf({ source: 'a' }, { source: 'a#b' });
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (name, heading, from) => {
      const found = names.find({ name, heading }, from);
      return found === undefined || [idOf(0), idOf(1)].includes(found);
    }),
  );
});
