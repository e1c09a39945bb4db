import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { RefusalLog } from './refusal-log.js';

test('a flood has twenty lines a second, and one that counts the rest', () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const clock = { ms: 0 };
  const log = new RefusalLog(pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }), () => clock.ms);
  for (let n = 0; n < 500; n++) log.note({ trace_id: `trace_${n}` });
  expect(lines.map(({ trace_id }) => trace_id)).toEqual(Array.from({ length: 20 }, (_, n) => `trace_${n}`));
  clock.ms += 1_000;
  log.note({ trace_id: 'trace_later' });
  expect(lines.slice(20)).toMatchObject([
    { event: 'auth-refused-more', count: 480 },
    { event: 'auth-refused', trace_id: 'trace_later' },
  ]);
});
