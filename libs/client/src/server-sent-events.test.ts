import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readServerSentEvents, type ServerSentEvent, type ServerSentEventListener } from './server-sent-events.js';

/** A stream of these bytes, cut after the given places. */
function streamOf(text: string, cuts: readonly number[] = []): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].toSorted((a, b) => a - b);
  return new ReadableStream({
    start(controller) {
      let from = 0;
      for (const to of places) {
        controller.enqueue(bytes.subarray(from, to));
        from = to;
      }
      controller.close();
    },
  });
}

async function read(text: string, cuts?: readonly number[], listener?: ServerSentEventListener): Promise<readonly ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(streamOf(text, cuts), listener)) events.push(event);
  return events;
}

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
/** Text that one line can hold. */
const lineText = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, ''));
const sentEvent = fc.record({
  event: fc.option(lineText, { nil: undefined }),
  id: fc.option(lineText, { nil: undefined }),
  data: fc.array(lineText, { minLength: 1, maxLength: 3 }),
});

test('whatever is written is read, for every line end and every boundary of chunks, also within a character', async () => {
  const property = fc.asyncProperty(
    fc.array(sentEvent, { maxLength: 4 }),
    lineEnd,
    fc.array(fc.nat(), { maxLength: 12 }),
    async (events, end, cuts) => {
      let id = '';
      const expected = events.map((one) => {
        id = one.id ?? id;
        return { event: one.event || 'message', id, data: one.data.join('\n') };
      });
      const text = events
        .flatMap(({ event, id: own, data }) => [
          ...(event === undefined ? [] : [`event: ${event}`]),
          ...(own === undefined ? [] : [`id: ${own}`]),
          ...data.map((line) => `data: ${line}`),
          '',
        ])
        .map((line) => line + end)
        .join('');
      expect(await read(text, cuts)).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test.each([
  ['a byte order mark before the first line', '\uFEFFdata: x\n\n', [{ event: 'message', id: '', data: 'x' }]],
  ['no space after the colon', 'event:e\ndata:x\n\n', [{ event: 'e', id: '', data: 'x' }]],
  ['only the first space is dropped', 'data:  x \n\n', [{ event: 'message', id: '', data: ' x ' }]],
  ['a field without a colon is an empty value', 'data\n\n', [{ event: 'message', id: '', data: '' }]],
  ['an event without data is not dispatched', 'event: e\nid: 5\n\n', []],
  ['an unfinished event at the end is dropped', 'data: x\n\ndata: y\n', [{ event: 'message', id: '', data: 'x' }]],
  ['an id without data counts for the next event', 'id: 5\n\ndata: x\n\n', [{ event: 'message', id: '5', data: 'x' }]],
  ['an unknown field is ignored', 'colour: red\ndata: x\n\n', [{ event: 'message', id: '', data: 'x' }]],
  [
    'an id with U+0000 is ignored',
    'id: a\ndata: x\n\nid: b\0\ndata: y\n\n',
    [
      { event: 'message', id: 'a', data: 'x' },
      { event: 'message', id: 'a', data: 'y' },
    ],
  ],
  [
    'an empty id clears the last one',
    'id: a\ndata: x\n\nid:\ndata: y\n\n',
    [
      { event: 'message', id: 'a', data: 'x' },
      { event: 'message', id: '', data: 'y' },
    ],
  ],
  ['an empty stream', '', []],
])('%s', async (_rule, text, events) => {
  expect(await read(text)).toEqual(events);
});

test('comments and the reconnection time go to the listener, not to the events', async () => {
  const comments: string[] = [];
  const delays: number[] = [];
  const listener = { onComment: (text: string) => void comments.push(text), onRetry: (ms: number) => void delays.push(ms) };
  expect(await read(': keep\nretry: 2000\nretry: soon\n\ndata: x\n\n', [], listener)).toEqual([{ event: 'message', id: '', data: 'x' }]);
  expect([comments, delays]).toEqual([['keep'], [2_000]]);
});

test('events are given out as they arrive, before the stream ends', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const events = readServerSentEvents(readable);
  const writer = writable.getWriter();
  void writer.write(new TextEncoder().encode('data: 1\n\nda'));
  expect((await events.next()).value).toMatchObject({ data: '1' });
  void writer.write(new TextEncoder().encode('ta: 2\n\n'));
  expect((await events.next()).value).toMatchObject({ data: '2' });
  void writer.close();
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('leaving early cancels the stream', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => void (cancelled = true),
  });
  for await (const { data } of readServerSentEvents(body)) {
    expect(data).toBe('again');
    break;
  }
  expect(cancelled).toBe(true);
});

test('a stream that fails throws its own error, after the events that came whole', async () => {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) return controller.error(new Error('connection reset'));
      sent = true;
      return controller.enqueue(new TextEncoder().encode('data: whole\n\ndata: ha'));
    },
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { data } of readServerSentEvents(body)) seen.push(data);
  })();
  await expect(reading).rejects.toThrow('connection reset');
  expect(seen).toEqual(['whole']);
});
