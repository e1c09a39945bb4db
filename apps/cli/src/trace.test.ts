import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';
import { timeLines } from './trace.js';

const span = (name: string, offset_ms: number, duration_ms: number) => ({ name, offset_ms, duration_ms, span_id: name, attributes: {} });
const found = {
  trace_id: 'trace_1',
  started_at: '2026-01-01T00:00:00Z',
  duration_ms: 100,
  spans: [span('call', 0, 100), span('attempt', 50, 25)],
};

test('a trace is drawn: where in the time of the call each span lies', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, found), jsonAnswer(200, found));
  expect((await runCommandLine(['trace', 'trace_1'], { INVOQ_URL: server.url })).stdout).toBe(
    `trace_1  2026-01-01T00:00:00Z  100 ms
  ${'█'.repeat(32)}     100.0 ms  call
  ${' '.repeat(16)}${'█'.repeat(8)}${' '.repeat(8)}      25.0 ms  attempt
`,
  );
  expect(JSON.parse((await runCommandLine(['trace', 'trace_1', '--json'], { INVOQ_URL: server.url })).stdout)).toEqual(found);
});

test('below an attempt that failed stands why, and where in the sources', () => {
  const stack = ['TypeError: x is undefined', ...[1, 2, 3, 4, 5].map((line) => `    at f (/apps/a.ts:${line}:1)`)].join('\n');
  const attributes = { 'exception.type': 'TypeError', 'exception.message': 'x is undefined', 'exception.stacktrace': stack };
  const lines = timeLines({ duration_ms: 1, spans: [{ ...span('attempt', 0, 1), attributes }, span('later', 0, 1)] });
  expect(lines.map((line) => line.replaceAll(/[█ ]+/g, ' ').trim())).toEqual([
    '1.0 ms attempt',
    'TypeError: x is undefined',
    ...[1, 2, 3, 4].map((line) => `at f (/apps/a.ts:${line}:1)`),
    '1.0 ms later',
  ]);
});

test('below an attempt stands what its tool logged', () => {
  const attributes = { 'invoq.log': ['3 ms info: half', '9 ms warn: slow'] };
  const lines = timeLines({ duration_ms: 1, spans: [{ ...span('attempt', 0, 1), attributes }] });
  expect(lines.slice(1).map((line) => line.trim())).toEqual(['3 ms info: half', '9 ms warn: slow']);
});

test('whatever the times are, every bar is inside of the line and can be seen', () => {
  const time = fc.double({ min: 0, max: 1e7, noNaN: true });
  fc.assert(
    fc.property(time, time, time, (whole, offset, duration) => {
      const [line = ''] = timeLines({ duration_ms: whole, spans: [span('s', offset, duration)] });
      expect(line).toMatch(/^ {2,34}█+ *\d+\.\d ms {2}s$/);
      expect(line.slice(2, 34)).toHaveLength(32);
      expect(line.indexOf('█')).toBeLessThan(34);
      expect(line.lastIndexOf('█')).toBeLessThan(34);
    }),
  );
});
