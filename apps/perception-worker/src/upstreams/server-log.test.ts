import { expect, test } from '@jest/globals';
import { serverLog } from './server-log.js';

function logged() {
  const lines: [string, string][] = [];
  return { lines, write: serverLog('docs', (level, message) => void lines.push([level, message])) };
}

test.each([
  ['debug', 'debug'],
  ['notice', 'info'],
  ['warning', 'warn'],
  ['emergency', 'error'],
  ['constructor', 'info'],
])('the level %s is %s', (level, own) => {
  const { lines, write } = logged();
  write({ level, data: 'said', logger: 'db' });
  expect(lines).toEqual([[own, 'docs (db): said']]);
});

test('data of any kind is a line, cut at a whole character', () => {
  const { lines, write } = logged();
  write({ level: 'info', data: { a: [1, null] } });
  write({ level: 'info', data: undefined });
  write({ level: 'info', data: '😀'.repeat(1_000) });
  expect(lines.slice(0, 2)).toEqual([
    ['info', 'docs: {"a":[1,null]}'],
    ['info', 'docs: undefined'],
  ]);
  expect(lines[2]?.[1].length).toBeLessThanOrEqual(1_000);
  expect(lines[2]?.[1]).toMatch(/^docs: (😀)+$/u);
});

test('a call has so many lines, and the last says that there were more', () => {
  const { lines, write } = logged();
  for (let line = 0; line < 5_000; line++) write({ level: 'info', data: line });
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toEqual(['warn', 'docs logs more than 50 lines in this call: the others are left out']);
});
