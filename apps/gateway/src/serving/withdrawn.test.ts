import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ConnectedDomain } from '#lib/transport';
import { Withdrawn } from './withdrawn.js';

let withdrawn: Withdrawn;
const now = 1_000_000;
beforeEach(() => void (withdrawn = new Withdrawn()));

const program = (tools: readonly string[], more: object = {}) => ({ key: 'k', name: 'dev', tools, isLeaving: false, since: now, ...more });
const domain = (...programs: readonly ReturnType<typeof program>[]): ConnectedDomain => ({
  queue: 'q',
  tenant: 't',
  domain: 'd',
  tools: [],
  programs: [...programs],
  isCut: false,
  workers: [],
  connected: programs.length,
});
/** Looks at these, with both tools still present. */
const look = (...programs: readonly ReturnType<typeof program>[]) =>
  [...withdrawn.look(new Set(['q a@1.0.0', 'q b@1.0.0']), [domain(...programs)], now)].map((field) => field.slice(2));
const both = ['a@1.0.0', 'b@1.0.0'];

describe('a version is withdrawn', () => {
  test('where its program is connected with the rest of its tools, and back when it serves it again', () => {
    expect(look(program(both))).toEqual([]);
    expect(look(program(['b@1.0.0', 'c@1.0.0']))).toEqual(['a@1.0.0']);
    expect(look(program(both))).toEqual([]);
  });

  test('where its program stopped in order while the next one was there, though it has no other tool in common', () => {
    look(program(['a@1.0.0']));
    expect(look(program(['a@1.0.0'], { isLeaving: true }), program(['c@1.0.0']))).toEqual(['a@1.0.0']);
    expect(look(program(['c@1.0.0']))).toEqual(['a@1.0.0']);
  });

  test('where a new version takes its place', () => {
    look(program(both));
    expect(look(program(['a@2.0.0', 'b@1.0.0']))).toEqual(['a@1.0.0']);
  });
});

describe('a version is not withdrawn', () => {
  test.each<[string, readonly ReturnType<typeof program>[]]>([
    ['whose workers are gone', []],
    ['of which one worker still has it', [program(['b@1.0.0']), program(both)]],
    ['where another program is there, with another name', [program(['b@1.0.0'], { name: 'other' })]],
    ['where the worker of another key is there', [program(['b@1.0.0'], { key: 'other' })]],
    ['where a program with its name has none of its tools: it may be another', [program(['c@1.0.0'])]],
    ['while it is being left', [program(both, { isLeaving: true })]],
    ['where the other program has been there for long', [program(['b@1.0.0'], { since: now - 100_000 })]],
  ])('%s', (_, programs) => {
    look(program(both));
    expect(look(...programs)).toEqual([]);
  });

  test('where not all programs are known', () => {
    look(program(both));
    const cut = { ...domain(program(['b@1.0.0'])), isCut: true };
    expect(withdrawn.look(new Set(['q a@1.0.0']), [cut], now)).toEqual(new Set());
  });

  test('by a gateway that has not seen who served it', () => {
    expect(look(program(['b@1.0.0']))).toEqual([]);
  });

  test('by programs without a name that have nothing in common', () => {
    look(program(['a@1.0.0'], { name: null }), program(['b@1.0.0'], { name: null }));
    expect(look(program(['a@1.0.0'], { name: null, isLeaving: true }), program(['b@1.0.0'], { name: null }))).toEqual([]);
  });

  test('while one of two programs that served it may come back', () => {
    look(program(both), program(both, { key: 'other' }));
    expect(look(program(['b@1.0.0']))).toEqual([]);
  });
});
