import { describe, expect, test } from '@jest/globals';
import { EventReader } from './event-reader.js';

/** A reader of a stream that gives these pieces, and then closes unless it is kept open. */
function readerOf(
  pieces: readonly string[],
  { open = false } = {},
): { readonly reader: EventReader; readonly controller: AbortController } {
  const controller = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      for (const piece of pieces) stream.enqueue(encoder.encode(piece));
      if (!open) stream.close();
      // As fetch does it.
      controller.signal.addEventListener('abort', () => stream.error(controller.signal.reason));
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-trace-id': 'trace_1' } });
  return { reader: new EventReader(response, controller), controller };
}

const three = 'event: a\nid: 1\ndata: {"n":1}\n\ndata: "no name"\n\nevent: c\nid: 3\ndata: [3]\n\n';

describe('a reader of events', () => {
  test.each([1, 5, 1_000])('parses data as JSON, whatever the pieces of %d characters', async (size) => {
    const pieces = Array.from({ length: Math.ceil(three.length / size) }, (_, index) => three.slice(index * size, (index + 1) * size));
    const { reader } = readerOf(pieces);
    expect(await reader.rest()).toEqual([
      { event: 'a', id: '1', data: { n: 1 } },
      { event: 'message', id: '1', data: 'no name' },
      { event: 'c', id: '3', data: [3] },
    ]);
  });

  test('gives null when the stream has been closed, and again', async () => {
    const { reader } = readerOf(['event: a\ndata: 1\n\n']);
    expect((await reader.next())?.data).toBe(1);
    expect([await reader.next(), await reader.next()]).toEqual([null, null]);
  });

  test('drops an event that was cut off', async () => {
    const { reader } = readerOf(['data: 1\n\nevent: a\ndata: 2']);
    expect((await reader.rest()).map(({ data }) => data)).toEqual([1]);
  });

  test('takes so many events, and says how many came when it were fewer', async () => {
    const { reader } = readerOf([three]);
    expect((await reader.take(2)).map(({ event }) => event)).toEqual(['a', 'message']);
    await expect(reader.take(2)).rejects.toThrow('the stream closed after 1 of 2 events');
  });

  test('keeps comments and the delay before a reconnection', async () => {
    const { reader } = readerOf([': hello\n\nretry: 2500\n\ndata: 1\n\n']);
    await reader.rest();
    expect([reader.comments.map((text) => text.trim()), reader.retryMs]).toEqual([['hello'], 2_500]);
  });

  test('has the headers of its response', () => {
    expect(readerOf([]).reader.headers.get('x-trace-id')).toBe('trace_1');
  });

  test('throws when the stream stays silent', async () => {
    const { reader } = readerOf(['data: 1\n\n'], { open: true });
    await reader.next();
    await expect(reader.next(1)).rejects.toThrow('no event within 1 ms');
  });

  test('throws for data that is no JSON', async () => {
    await expect(readerOf(['data: {\n\n']).reader.next()).rejects.toThrow(SyntaxError);
  });

  test('leaves its request when it is disposed of', async () => {
    const { reader, controller } = readerOf(['data: 1\n\n'], { open: true });
    await reader.next();
    await reader[Symbol.asyncDispose]();
    expect(controller.signal.aborted).toBe(true);
  });

  test('refuses a response without a body', () => {
    expect(() => new EventReader(new Response(null, { status: 204 }), new AbortController())).toThrow('no body');
  });
});
