import { expect, test } from '@jest/globals';
import { toCsv } from './csv.js';

test('commas, quotes and lines are quoted; what is missing is empty', () => {
  expect(
    toCsv(
      ['user', 'calls'],
      [
        ['a,"b"', 3],
        [null, 0],
        ['line\nbreak', -1],
      ],
    ),
  ).toBe('user,calls\r\n"a,""b""",3\r\n,0\r\n"line\nbreak",-1\r\n');
});

test.each(['=1+1', '+1', '-1', '@sum', '\tx'])('%j is no formula', (name) => {
  expect(toCsv(['user'], [[name]])).toBe(`user\r\n'${name}\r\n`);
});
