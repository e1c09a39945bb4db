import { expect, test } from '@jest/globals';
import { readEvents, type ServerEvent } from './sse-parser.js';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(inPieces(text, size))) events.push(event);
  return events;
}

const stream =
  'retry: 2000\n\nevent: tool_progress\nid: evt_1\ndata: {"message":"größer: ja"}\n\n: keep-alive\n\nevent: tool_result\nid: evt_2\ndata: {}\n\n';

test.each([1, 7, 1_000])('reads events that come in pieces of %d bytes', async (size) => {
  expect(await read(stream, size)).toEqual([
    { event: 'tool_progress', id: 'evt_1', data: '{"message":"größer: ja"}' },
    { event: 'tool_result', id: 'evt_2', data: '{}' },
  ]);
});

test('half an event at the end of a cut stream is dropped', async () => {
  expect(await read('event: tool_progress\nid: evt_1\ndata: {"mess', 10)).toEqual([]);
});
