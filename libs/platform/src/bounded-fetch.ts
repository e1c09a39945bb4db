/** The other side's answer has more bytes than its reader takes. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes after decompression; it must have fewer`);
  }
}

interface ReadOptions {
  /** Awaited before each chunk of a body, with the number of those before it. What comes meanwhile is one chunk. */
  readonly beforeRead?: (chunks: number) => Promise<void> | undefined;
}

/**
 * The same answer, whose body fails with AnswerTooLarge after `maxBytes`. The bytes are counted as the reader gets them, after
 * decompression: 12 kB of gzip may hold 12 MB. Bytes beyond the bound are neither kept nor decompressed.
 * @param maxBytes positive
 */
export function boundedResponse(response: Response, maxBytes: number, { beforeRead }: ReadOptions = {}): Response {
  if (!response.body) return response;
  let [bytes, chunks] = [0, 0];
  const reader = response.body.getReader();
  // A stream that is pulled costs half of what a pipe does, for each answer and for each chunk.
  const counted = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (beforeRead) await beforeRead(chunks++);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes <= maxBytes) return controller.enqueue(value);
        const tooLarge = new AnswerTooLarge(maxBytes);
        controller.error(tooLarge);
        await reader.cancel(tooLarge);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

/** The global fetch, whose answers have at most `maxBytes` after decompression. Everything that asks another server uses it or does the same. */
export function boundedFetch(maxBytes: number, options?: ReadOptions): typeof fetch {
  return async (input, init) => boundedResponse(await fetch(input, init), maxBytes, options);
}
