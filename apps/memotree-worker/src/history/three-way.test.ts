import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differingFields, type NodeState } from '../store/node-state.js';
import { anyState, idOf, nodeState } from '../test-states.js';
import { threeWay, type Preference } from './three-way.js';

const preference = fc.constantFrom<Preference>('Neither', 'Ours', 'Theirs');
type Merge = [base: NodeState | undefined, ours: NodeState, theirs: NodeState, prefer?: Preference];
const merge = (...[base, ours, theirs, prefer = 'Neither']: Merge) => threeWay({ base, ours, theirs }, prefer);
const same = (a: NodeState, b: NodeState): void => expect(differingFields(a, b)).toEqual([]);

describe('of any states', () => {
  test('a side that changed nothing takes what the other has', () => {
    fc.assert(
      fc.property(anyState, anyState, preference, (base, changed, prefer) => {
        for (const { state, conflicts } of [merge(base, changed, base, prefer), merge(base, base, changed, prefer)]) {
          expect(conflicts).toEqual([]);
          same({ ...state, tags: state.tags.toSorted() }, { ...changed, tags: changed.tags.toSorted() });
        }
      }),
    );
  });

  test('two sides that changed the same have it, without a conflict', () => {
    fc.assert(
      fc.property(fc.option(anyState, { nil: undefined }), anyState, preference, (base, both, prefer) => {
        const { state, conflicts } = merge(base, both, both, prefer);
        expect(conflicts).toEqual([]);
        same(state, both);
      }),
    );
  });

  test('a preference leaves no conflict, and each field is that of one of the three', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, fc.constantFrom<Preference>('Ours', 'Theirs'), (...[base, ours, theirs, prefer]) => {
        const { state, conflicts } = merge(base, ours, theirs, prefer);
        expect(conflicts).toEqual([]);
        for (const field of ['title', 'type', 'detailHash', 'briefHash', 'parentId', 'position'] as const)
          expect([ours[field], theirs[field], base[field]]).toContain(state[field]);
      }),
    );
  });

  test('who is ours and who is theirs decides nothing but the preference', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, (base, a, b) => {
        const fields = (one: ReturnType<typeof merge>): readonly string[] => one.conflicts.map(({ field }) => field).toSorted();
        expect(fields(merge(base, a, b))).toEqual(fields(merge(base, b, a)));
      }),
    );
  });

  test('a conflict is of a field that both changed, differently', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, (base, ours, theirs) => {
        for (const { field } of merge(base, ours, theirs).conflicts) {
          expect(differingFields(ours, theirs)).toContain(field);
          expect(differingFields(base, ours)).toContain(field);
          expect(differingFields(base, theirs)).toContain(field);
        }
      }),
    );
  });

  test('tags that either side added are there, and those that either side removed are not', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, preference, (...[base, ours, theirs, prefer]) => {
        const { tags } = merge(base, ours, theirs, prefer).state;
        expect(new Set(tags).size).toBe(tags.length);
        for (const tag of ['x', 'y', 'z']) {
          const [inBase, inOurs, inTheirs] = [base, ours, theirs].map((state) => state.tags.includes(tag));
          expect(tags.includes(tag)).toBe(inBase ? Boolean(inOurs && inTheirs) : Boolean(inOurs || inTheirs));
        }
      }),
    );
  });

  test('the targets of its relations are among its targets', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, preference, (...[base, ours, theirs, prefer]) => {
        const { relations, targets } = merge(base, ours, theirs, prefer).state;
        expect(targets).toEqual(expect.arrayContaining(relations.map(({ targetId }) => targetId)));
      }),
    );
  });
});

describe('a field that both changed', () => {
  const base = nodeState({ title: 'old' });
  const [ours, theirs] = [nodeState({ title: 'ours' }), nodeState({ title: 'theirs' })];

  test('is a conflict that names the three values, and stays ours', () => {
    expect(merge(base, ours, theirs)).toMatchObject({
      state: { title: 'ours' },
      conflicts: [{ field: 'title', base: 'old', ours: 'ours', theirs: 'theirs' }],
    });
  });

  test.each([
    ['Ours', 'ours'],
    ['Theirs', 'theirs'],
  ] as const)('is that of %s where that is preferred', (prefer, title) => {
    expect(merge(base, ours, theirs, prefer)).toMatchObject({ state: { title }, conflicts: [] });
  });

  test('without a common state is a conflict with no base', () => {
    expect(merge(undefined, ours, theirs).conflicts).toEqual([{ field: 'title', base: null, ours: 'ours', theirs: 'theirs' }]);
    expect(merge(undefined, ours, theirs, 'Theirs')).toEqual({ state: theirs, conflicts: [] });
  });
});

describe('a place', () => {
  const at = (parentId: string, position: string): NodeState => nodeState({ parentId, position });
  const place = ({ parentId, position }: NodeState): string => `${parentId} ${position}`;

  test.each([
    ['that only they changed is theirs', at('root', 'a0'), at('root', 'a0'), at('root', 'a5'), 'root a5'],
    ['among the same siblings that both changed is ours', at('root', 'a0'), at('root', 'a1'), at('root', 'a2'), 'root a1'],
    ['under a parent that they changed is theirs', at('root', 'a0'), at('root', 'a0'), at('p', 'b1'), 'p b1'],
    ['under a parent that we changed is ours', at('root', 'a0'), at('p', 'b1'), at('root', 'a0'), 'p b1'],
  ])('%s', (...[_what, base, ours, theirs, expected]) => {
    const { state, conflicts } = merge(base, ours, theirs);
    expect([place(state), conflicts]).toEqual([expected, []]);
  });

  test('under two different new parents is a conflict', () => {
    expect(merge(at('root', 'a0'), at('p', 'a0'), at('q', 'a0')).conflicts).toMatchObject([
      { field: 'parentId', base: 'root', ours: 'p', theirs: 'q' },
    ]);
  });

  test('is taken whole: parent and position are of one side', () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, preference, (...[base, ours, theirs, prefer]) => {
        const { state } = merge(base, ours, theirs, prefer);
        expect([place(ours), place(theirs)]).toContain(place(state));
      }),
    );
  });
});

describe('a deletion', () => {
  const there = nodeState();
  const changed = nodeState({ title: 'changed' });
  const gone = nodeState({ deleted: true });

  test('by both is no conflict', () => expect(merge(there, gone, gone)).toEqual({ state: gone, conflicts: [] }));

  test.each([
    ['ours', gone, changed, { ours: 'deleted', theirs: 'there' }],
    ['theirs', changed, gone, { ours: 'there', theirs: 'deleted' }],
  ])('%s of what the other changed is a conflict', (...[_whose, ours, theirs, sides]) => {
    expect(merge(there, ours, theirs)).toEqual({ state: ours, conflicts: [{ field: 'deleted', base: 'there', ...sides }] });
    expect(merge(there, ours, theirs, 'Ours')).toEqual({ state: ours, conflicts: [] });
    expect(merge(there, ours, theirs, 'Theirs')).toEqual({ state: theirs, conflicts: [] });
  });

  test('without a common state has no base', () => {
    expect(merge(undefined, gone, changed).conflicts).toMatchObject([{ base: null }]);
    expect(merge(gone, gone, changed).conflicts).toMatchObject([{ base: 'deleted' }]);
  });
});

describe('a summary', () => {
  const base = nodeState({ detailHash: 'c0', summaryOf: 'c0' });

  test('that was generated is of the content that won', () => {
    const theirs = { ...base, detailHash: 'c1', summaryOf: 'c1' };
    expect(merge(base, { ...base, title: 'mine' }, theirs).state).toMatchObject({
      title: 'mine',
      detailHash: 'c1',
      summaryHash: null,
      summaryOf: 'c1',
    });
  });

  test('that one side wrote is kept beside the other side’s content', () => {
    const ours = { ...base, summaryHash: 's1' };
    const theirs = { ...base, detailHash: 'c1', summaryOf: 'c1' };
    expect(merge(base, ours, theirs).state).toMatchObject({ detailHash: 'c1', summaryHash: 's1', summaryOf: 'c0' });
  });

  test('that they asked for anew is asked for, whatever we changed beside it', () => {
    const theirs = { ...base, summaryOf: 'anew' };
    expect(merge(base, { ...base, title: 'mine' }, theirs).state).toMatchObject({ title: 'mine', summaryOf: 'anew' });
    const written = { ...base, summaryHash: 's1' };
    expect(merge(written, { ...written, title: 'mine' }, theirs).state).toMatchObject({ summaryHash: null, summaryOf: 'anew' });
  });

  test('that both wrote differently is a conflict', () => {
    const { conflicts } = merge(base, { ...base, summaryHash: 's1' }, { ...base, summaryHash: 's2' });
    expect(conflicts).toMatchObject([{ field: 'summary' }]);
  });
});

test('links of the content that won are among the targets, with the relations of both', () => {
  const relation = (n: number) => ({ id: idOf(n), type: 'Extends' as const, targetId: idOf(n + 10), description: '' });
  const base = nodeState({ detailHash: 'c0', targets: [idOf(1)] });
  const ours = { ...base, relations: [relation(2)], targets: [idOf(1), idOf(12)] };
  const theirs = { ...base, detailHash: 'c1', targets: [idOf(5), idOf(13)], relations: [relation(3)] };
  const { state } = merge(base, ours, theirs);
  expect(new Set(state.targets)).toEqual(new Set([idOf(12), idOf(13), idOf(5)]));
});
