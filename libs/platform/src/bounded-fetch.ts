/** The other side's answer has more bytes than its reader takes. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes after decompression; it must have fewer`);
  }
}

/**
 * The same answer, whose body fails with AnswerTooLarge after `maxBytes`. The bytes are counted as the reader gets them, after
 * decompression: 12 kB of gzip may hold 12 MB. Bytes beyond the bound are neither kept nor decompressed.
 * @param maxBytes positive
 */
export function boundedResponse(response: Response, maxBytes: number): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new AnswerTooLarge(maxBytes);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

/** The global fetch, whose answers have at most `maxBytes` after decompression. Everything that asks another server uses it or does the same. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => boundedResponse(await fetch(input, init), maxBytes);
}
