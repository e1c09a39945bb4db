import { expect, test } from '@jest/globals';
import { logOf } from './log-lines.js';
import { attemptsOf, routeOf } from './own-attempts.js';
import { segmentsOf } from './segments.js';

const begun = Date.parse('2026-11-22T10:00:00.000Z');
const iso = (ms: number) => new Date(begun + ms).toISOString();
const span = (id: string, [from, to]: readonly [number, number], attributes: Readonly<Record<string, unknown>>, parent?: string) => ({
  name: id,
  span_id: id,
  offset_ms: from,
  duration_ms: to - from,
  attributes,
  ...(parent !== undefined && { parent_span_id: parent }),
});
const attempt = (job: string, says: string) => ({ 'invoq.attempt': 1, 'invoq.job_id': job, 'invoq.log': [`1 ms info: ${says}`] });

/** A turn of a chat that calls two tools, and a call of the same agent by the other door, in a trace of its own. */
const trace = {
  started_at: iso(0),
  spans: [
    span('chat', [0, 500], { 'http.route': '/chat' }),
    span('turn', [10, 490], attempt('t', 'thinks'), 'chat'),
    span('first', [100, 150], attempt('a', 'one'), 'turn'),
    span('second', [200, 300], attempt('b', 'two'), 'turn'),
    span('other', [600, 700], { 'http.route': '/mcp' }),
    span('third', [610, 690], attempt('c', 'three'), 'other'),
  ],
};
const call = (job_id: string, from: number, to: number) => ({
  job_id,
  state: 'completed' as const,
  created_at: iso(from),
  started_at: iso(from),
  finished_at: iso(to),
});

test('a call has its own attempts alone, whatever else its trace has', () => {
  expect(attemptsOf(trace, 'a').map(({ span_id: id }) => id)).toEqual(['first']);
  const turn = segmentsOf({ call: call('t', 0, 495), events: [], trace }, 0);
  expect(turn.map(({ kind, from, to }) => [kind, from - begun, to - begun])).toEqual([
    ['queue', 0, 10],
    ['attempt', 10, 495],
  ]);
  const inner = segmentsOf({ call: call('b', 190, 301), events: [], trace }, 0);
  expect(inner.filter(({ kind }) => kind === 'attempt')).toHaveLength(1);
});

test('a call has its own log alone', () => {
  expect(logOf(trace, 'b').lines.map(({ message }) => message)).toEqual(['two']);
});

test.each([
  ['t', '/chat'],
  ['a', '/chat'],
  ['c', '/mcp'],
  ['gone', null],
])('the door of %s is %s', (job, route) => expect(routeOf(trace, job)).toBe(route));
