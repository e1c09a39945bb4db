import { expect, test } from '@jest/globals';
import { asksForCsv, sumsAsCsv } from './sums-csv.js';

const sum = {
  calls: 3,
  completed: 2,
  failed: 1,
  cancelled: 0,
  attempts: 4,
  execution_ms: 1.5,
  p50_ms: 1.2,
  p95_ms: 2.1,
  p99_ms: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: 250_000,
};

test('sums are lines under their names, and no name of a caller is a formula', () => {
  const rows = [
    { ...sum, user_id: null, tool_name: 'a' },
    { ...sum, user_id: '=1+1', tool_name: 'b' },
    { ...sum, user_id: 'x,"y"', tool_name: 'c' },
  ];
  expect(sumsAsCsv(['user', 'tool'], rows).split('\r\n')).toEqual([
    'user_id,tool_name,calls,completed,failed,cancelled,attempts,execution_ms,p50_ms,p95_ms,p99_ms,input_tokens,output_tokens,cost_micros',
    ',a,3,2,1,0,4,1.5,1.2,2.1,,0,0,250000',
    "'=1+1,b,3,2,1,0,4,1.5,1.2,2.1,,0,0,250000",
    '"x,""y""",c,3,2,1,0,4,1.5,1.2,2.1,,0,0,250000',
    '',
  ]);
});

test.each([
  ['text/csv', true],
  ['Text/CSV; q=0.9, */*', true],
  ['application/json, text/csv', false],
  ['*/*', false],
  [undefined, false],
])('Accept %s asks for CSV: %s', (accept, asks) => {
  expect(asksForCsv(accept)).toBe(asks);
});
