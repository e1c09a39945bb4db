import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '#lib/testing';
import { toolNameShape } from '../derive/lint-definition.js';
import { offeredNames } from './offered-names.js';
import { maxOutsideServerName } from './server.js';

const namesOf = (...tools: string[]) => [...offeredNames('x', tools).values()].toSorted((a, b) => (a < b ? -1 : 1));

test.each([
  ['read', 'x__read'],
  ['graph.list', 'x__graph_list'],
  ['calendar.respondToEvent', 'x__calendar_respondToEvent'],
  ['two words', 'x__two_words'],
  ['a/b', 'x__a_b'],
  ['_private', 'x___private'],
  ['查询', expect.stringMatching(/^x__tool_[0-9a-f]{8}$/)],
  ['查询 weather', expect.stringMatching(/^x__weather_[0-9a-f]{8}$/)],
  ['...', expect.stringMatching(/^x__tool_[0-9a-f]{8}$/)],
  ['t'.repeat(100), expect.stringMatching(/^x__t{52}_[0-9a-f]{8}$/)],
])('%s is offered as %s', (tool, name) => {
  expect(offeredNames('x', [tool]).get(tool)).toEqual(name);
});

describe('names that would be the same', () => {
  test('differ: a legal name stays, the others get a digest', () => {
    const names = offeredNames('x', ['graph.list', 'graph_list', 'graph list']);
    expect(names.get('graph_list')).toBe('x__graph_list');
    expect(names.get('graph.list')).toMatch(/^x__graph_list_[0-9a-f]{8}$/);
    expect(names.get('graph list')).toMatch(/^x__graph_list_[0-9a-f]{8}$/);
    expect(namesOf('Echo', 'echo')).toEqual([expect.stringMatching(/^x__Echo_[0-9a-f]{8}$/), 'x__echo']);
  });

  test('of tools that were offered before do not move when another comes', () => {
    const before = offeredNames('x', ['graph.list']);
    const after = offeredNames('x', ['graph_list', 'graph.list'], before);
    expect(after.get('graph.list')).toBe('x__graph_list');
    expect(after.get('graph_list')).toMatch(/^x__graph_list_[0-9a-f]{8}$/);
  });

  test('differ also where somebody chose a name that looks like one of ours', () => {
    const digested = offeredNames('x', ['查询']).get('查询')?.slice('x__'.length) ?? '';
    expect(new Set(namesOf('查询', digested)).size).toBe(2);
  });
});

test('names of any tools are legal, different in every spelling, and the same in any order', () => {
  const tool = fc.oneof(anyText({ maxLength: 90 }), fc.constantFrom('a.b', 'a_b', 'A_b', 'a b', 'a-b', ''));
  const server = fc.constantFrom('x', 'a'.repeat(maxOutsideServerName));
  fc.assert(
    fc.property(server, fc.uniqueArray(tool, { maxLength: 12 }), (name, tools) => {
      const names = offeredNames(name, tools);
      expect(new Set([...names.values()].map((one) => one.toLowerCase())).size).toBe(tools.length);
      for (const one of names.values()) expect(one).toMatch(toolNameShape);
      expect(offeredNames(name, tools.toReversed())).toEqual(names);
      expect(offeredNames(name, tools.slice(0, 5), names)).toEqual(new Map([...names].filter(([one]) => tools.slice(0, 5).includes(one))));
    }),
  );
});
