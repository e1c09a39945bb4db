import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StreamEvent } from '#lib/client';
import { linesOf } from './timeline-lines.js';

const progress = (id: number): StreamEvent => ({
  event: 'tool_progress',
  id: String(id),
  data: { progress: id % 100, message: `${id}`, metadata: {} },
});
const retry = (id: number): StreamEvent => ({
  event: 'tool_retrying',
  id: String(id),
  data: { retry_count: 1, max_retries: 3, delay_ms: 10, error: { code: 'A', message: 'a' }, metadata: {} },
});

test('the middle of many reports of progress is a number', () => {
  const lines = linesOf([retry(0), ...Array.from({ length: 1_000 }, (_, at) => progress(at + 1)), retry(2_000)]);
  expect(lines.map((line) => (line.kind === 'event' ? line.event.id : `${line.count} left`))).toEqual([
    '0',
    ...Array.from({ length: 10 }, (_, at) => String(at + 1)),
    '980 left',
    ...Array.from({ length: 10 }, (_, at) => String(at + 991)),
    '2000',
  ]);
});

test('each event stands in its attempt; a retry ends one', () => {
  const lines = linesOf([progress(1), retry(2), progress(3), retry(4), progress(5)]);
  expect(lines.map((line) => line.kind === 'event' && line.attempt)).toEqual([1, 1, 2, 2, 3]);
});

test('each event is a line or is counted, in its order, and whatever is no progress is a line', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (kinds) => {
      const events = kinds.map((isRetry, id) => (isRetry ? retry(id) : progress(id)));
      const lines = linesOf(events);
      expect(lines.reduce((sum, line) => sum + (line.kind === 'event' ? 1 : line.count), 0)).toBe(events.length);
      const shown = lines.flatMap((line) => (line.kind === 'event' ? [line.event] : []));
      expect(shown).toEqual(events.filter((event) => shown.includes(event)));
      expect(shown.filter(({ event }) => event === 'tool_retrying')).toHaveLength(kinds.filter(Boolean).length);
    }),
  );
});
