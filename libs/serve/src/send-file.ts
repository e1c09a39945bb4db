import { mostFileBytes, workerLimits, type FileData } from '#lib/contracts';
import type { OutgoingFile } from '#lib/handlers';
import type { Message } from './protocol.js';

/** What the gateway says to a piece. */
export interface PieceTaken {
  readonly received: number;
  readonly file?: FileData | undefined;
}

interface Sending {
  readonly attempt: string;
  /** Of the file, from 1 within the attempt. */
  readonly number: number;
  readonly signal: AbortSignal;
  /** Resolves when the gateway has the piece. */
  readonly send: (piece: Message & { readonly attempt: string; readonly number: number; readonly offset: number }) => Promise<PieceTaken>;
}

/**
 * Sends a file piece by piece: no more of a stream is read than the gateway has taken. Throws RangeError for one that is too large, what the
 * stream throws, and what the signal fires with; the stream is closed then.
 */
export async function sendFile({ name, type, content }: OutgoingFile, { attempt, number, signal, send }: Sending): Promise<FileData> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  stopped.promise.catch(() => undefined);
  if (signal.aborted) onAbort();
  const unlessStopped = async <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopped.promise]);
  const chunks = content[Symbol.asyncIterator]();
  try {
    let [offset, isOver, rest] = [0, false, Buffer.alloc(0)];
    for (;;) {
      while (!isOver && rest.length <= workerLimits.filePieceBytes) {
        const next = await unlessStopped(chunks.next());
        if (next.done) isOver = true;
        else rest = Buffer.concat([rest, next.value]);
      }
      const bytes = rest.subarray(0, workerLimits.filePieceBytes);
      rest = rest.subarray(bytes.length);
      if (offset + bytes.length > mostFileBytes)
        throw new RangeError(`The file ${JSON.stringify(name)} has more than ${mostFileBytes} bytes`);
      const last = isOver && rest.length === 0;
      const piece = {
        type: 'file',
        attempt,
        number,
        name,
        content_type: type,
        offset,
        data: bytes.toString('base64'),
        ...(last && { last }),
      };
      const { file } = await unlessStopped(send(piece));
      if (last && file) return file;
      if (last) throw new Error('The gateway has the last piece of the file, and gave no link to it');
      offset += bytes.length;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a stream that hangs would hold the attempt.
    void Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
