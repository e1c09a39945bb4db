import { AnswerTooLarge } from '#lib/platform';

const [lf, cr] = [0x0a, 0x0d];

/**
 * The bytes of an event stream with every line ended by LF. The standard allows CR alone and CR LF too, and a parser that waits for what
 * follows a CR never sees the last line. An event larger than `maxBytes` ends the stream.
 */
export function eventLines(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let wasCr = false;
  let size = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      const lines = new Uint8Array(chunk.length);
      let length = 0;
      for (const byte of chunk) {
        const follows = wasCr && byte === lf;
        wasCr = byte === cr;
        if (follows) continue;
        const ends = byte === lf || byte === cr;
        lines[length++] = ends ? lf : byte;
        size = ends && isLineEmpty ? 0 : size + 1;
        isLineEmpty = ends;
      }
      if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
      if (length > 0) controller.enqueue(lines.subarray(0, length));
    },
  });
}
