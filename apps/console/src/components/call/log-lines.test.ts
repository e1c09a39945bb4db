import { expect, test } from '@jest/globals';
import { logOf } from './log-lines.js';

const span = (offset_ms: number, attributes: Readonly<Record<string, unknown>>) => ({
  span_id: String(offset_ms),
  name: 'attempt quote',
  offset_ms,
  duration_ms: 1,
  attributes,
});

test('lines of all attempts stand in the order of their time, and what the trace has not is told', () => {
  const second = span(1_000, { 'invoq.job_id': 'j', 'invoq.attempt': 2, 'invoq.log': ['2 ms warn: b: 3 ms info: c\nd'] });
  const first = span(0, { 'invoq.job_id': 'j', 'invoq.attempt': 1, 'invoq.log': ['3 ms info: a', '… 7 more in the log'] });
  expect(logOf({ started_at: '2026-11-22T10:00:00.000Z', spans: [second, first, span(5, {})] }, 'j')).toEqual({
    lines: [
      { attempt: 1, at: Date.parse('2026-11-22T10:00:00.003Z'), level: 'info', message: 'a' },
      { attempt: 2, at: Date.parse('2026-11-22T10:00:01.002Z'), level: 'warn', message: 'b: 3 ms info: c\nd' },
    ],
    leftOut: [{ attempt: 1, count: 7 }],
  });
});
