import { expect, test } from '@jest/globals';
import { describeFailure } from './failed-attempts.js';

const line = {
  level: 'warn',
  event: 'attempt-failed',
  tool_name: 'calc_metrics',
  attempt: 2,
  failure: 'internal',
  trace_id: 'trace_1',
  err: {
    type: 'TypeError',
    message: 'x is undefined',
    stack: ['TypeError: x is undefined', ...[1, 2, 3, 4, 5].map((at) => `    at f (/apps/a.ts:${at}:1)`)].join('\n'),
  },
};

test('a failed attempt is told with its tool, its error, the place in the sources and its trace', () => {
  const text = JSON.stringify(line);
  expect(describeFailure(text)).toBe(
    `✗ calc_metrics, attempt 2 failed (internal): TypeError: x is undefined
    at f (/apps/a.ts:1:1)
    at f (/apps/a.ts:2:1)
    at f (/apps/a.ts:3:1)
    at f (/apps/a.ts:4:1)
    npx invoq trace trace_1`,
  );
});

test.each(['', 'Node.js v24', '{"event":"ready"}', '{"event":"attempt-failed"}', '{"event":"attempt-failed'])(
  '%j is passed over',
  (text) => {
    expect(describeFailure(text)).toBeNull();
  },
);

test('a line that a tool logs is told with its tool and its level', () => {
  const text = JSON.stringify({ level: 'info', event: 'tool-log', tool_name: 'count_words', msg: 'two words', job_id: 'j' });
  expect(describeFailure(text)).toBe('count_words [info] two words');
});
