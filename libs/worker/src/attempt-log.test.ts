import { expect, test } from '@jest/globals';
import { AttemptLog } from './attempt-log.js';

function shown(...messages: readonly string[]): readonly string[] {
  const log = new AttemptLog();
  for (const message of messages) log.add('info', message);
  return log.attributes['invoq.log'] ?? [];
}

test('a line has its time in the attempt and its level', () => {
  expect(shown('half')).toEqual([expect.stringMatching(/^\d+ ms info: half$/)]);
});

test('an attempt that logs nothing adds nothing to its span', () => {
  expect(new AttemptLog().attributes).toEqual({});
});

test.each([
  ['many lines', 'x', 500],
  ['long lines', 'x'.repeat(2_000), 100],
])('of %s the first are kept, and the others counted', (_, message, times) => {
  const lines = shown(...Array.from({ length: times }, () => message));
  const kept = lines.slice(0, -1);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(50);
  expect(kept.join('').length).toBeLessThanOrEqual(4_096);
  expect(lines.at(-1)).toBe(`… ${times - kept.length} more in the log`);
});

test('after one that is left out comes none that would fit', () => {
  const lines = shown(...Array.from({ length: 20 }, () => 'x'.repeat(400)), 'short');
  expect(lines.some((line) => line.endsWith('short'))).toBe(false);
});

test.each(['key sk_live_abcdefgh12345', 'to ann@example.com', 'Authorization: Bearer abc.def.ghi', 'https://one.time/a?token=abc'])(
  'what looks like a secret or a person is masked: %s',
  (message) => {
    const [line = ''] = shown(message);
    expect(line).toContain('[redacted]');
    expect(line).not.toMatch(/abcdefgh|ann@|abc/);
  },
);
