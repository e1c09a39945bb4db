import { afterEach, expect, jest, test } from '@jest/globals';
import { spanSink, type SpanRecord } from './span-sink.js';

afterEach(() => {
  jest.useRealTimers();
  spanSink.filledBy(async () => undefined);
});

const span = { trace_id: 't', name: 'n' } as SpanRecord;

test('spans go to whoever is attached, and are dropped while nobody is', async () => {
  const seen: unknown[] = [];
  await spanSink.push([span]);
  const detach = spanSink.attach(async (spans) => void seen.push(...spans));
  await spanSink.push([span, span]);
  expect(seen).toHaveLength(2);
  detach();
});

test('of two apps in one process the other one takes the spans once the first has ended', async () => {
  const seen: string[] = [];
  const [endFirst, endSecond] = ['first', 'second'].map((name) => spanSink.attach(async () => void seen.push(name)));
  await spanSink.push([span]);
  endFirst?.();
  await spanSink.push([span]);
  endSecond?.();
  await spanSink.push([span]);
  expect(seen).toEqual(['first', 'second']);
});

test('a flush sends what is held', async () => {
  let sent = 0;
  spanSink.filledBy(async () => void (sent += 1));
  await spanSink.flush();
  expect(sent).toBe(1);
});

test('a flush that hangs is given up, so that it does not hold up a shutdown', async () => {
  spanSink.filledBy(() => new Promise(() => undefined));
  await expect(spanSink.flush()).resolves.toBeUndefined();
});
