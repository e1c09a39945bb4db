import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eventLines } from './event-lines.js';

async function through(chunks: readonly string[], maxBytes = 1_000): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });
  return new Response(source.pipeThrough(eventLines(maxBytes))).text();
}

test('every end of a line is LF, wherever the bytes are cut', async () => {
  const part = fc.constantFrom('a', '中', '\r', '\n', '\r\n', '\r\r', ': x');
  await fc.assert(
    fc.asyncProperty(fc.array(part), fc.integer({ min: 1, max: 4 }), async (parts, size) => {
      const bytes = Buffer.from(parts.join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size).toString('latin1'),
      );
      const text = await through(chunks.map((chunk) => chunk));
      expect(text).toBe(bytes.toString('latin1').replaceAll(/\r\n|\r/g, '\n'));
    }),
  );
});

test('an event of CR alone is there as soon as it has come', async () => {
  const lines = eventLines(100);
  const writer = lines.writable.getWriter();
  const reader = lines.readable.getReader();
  void writer.write(Buffer.from('data: 1\r\r'));
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: 1\n\n');
});

test('an event is bounded, and a stream of many is not', async () => {
  await expect(through(['data: ', 'x'.repeat(90)], 50)).rejects.toThrow('50');
  expect(
    await through(
      Array.from({ length: 50 }, () => 'data: xxxxxxxxxx\n\n'),
      50,
    ),
  ).toHaveLength(50 * 18);
});
