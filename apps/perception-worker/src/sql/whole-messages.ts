import { AnswerTooLarge } from '#lib/platform';
import { maxAnswerBytes } from '../upstreams/guarded-fetch.js';

/** A server sent what is no message of the protocol. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';

  constructor(options?: ErrorOptions) {
    super('what the server sent is no message of PostgreSQL', options);
  }
}

/** The type of a message, and its length without the type. */
const head = 5;

/**
 * Messages of a server, whole and with all of their texts ended. The parser of `pg` looks for the end of a text until it finds one, beyond the
 * message and beyond its memory: a server that leaves it out would keep the process busy for ever.
 */
export class WholeMessages {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The messages that are whole now, behind each other; null while none is. @throws UnreadableMessage, AnswerTooLarge */
  add(chunk: Buffer): Buffer | null {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#wanted() > maxAnswerBytes) throw new AnswerTooLarge(maxAnswerBytes);
    if (this.#bytes < this.#wanted()) return null;
    const all = Buffer.concat(this.#chunks);
    let end = 0;
    while (all.length - end >= head) {
      const length = all.readUInt32BE(end + 1);
      if (length < 4) throw new UnreadableMessage();
      if (length > maxAnswerBytes) throw new AnswerTooLarge(maxAnswerBytes);
      if (all.length - end < length + 1) break;
      requireEnded(String.fromCharCode(all[end] ?? 0), all.subarray(end + head, end + length + 1));
      end += length + 1;
    }
    const rest = all.subarray(end);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return end > 0 ? all.subarray(0, end) : null;
  }

  /** Bytes without which nothing more is whole. What is kept begins with a message. */
  #wanted(): number {
    const [first] = this.#chunks;
    return first && first.length >= head ? first.readUInt32BE(1) + 1 : 0;
  }
}

/** @throws UnreadableMessage where a text of the message is not ended in it */
function requireEnded(type: string, body: Buffer): void {
  switch (type) {
    case 'E':
    case 'N':
      // A letter and a text for each field, and a zero.
      for (let at = 0; byteAt(body, at) !== 0;) at = afterText(body, at + 1);
      return;
    case 'R':
      // The names of mechanisms, and an empty one.
      if (body.length >= 4 && body.readUInt32BE(0) === 10) for (let at = 4; byteAt(body, at) !== 0;) at = afterText(body, at);
      return;
    case 'C':
      return void afterText(body, 0);
    case 'S':
      return void afterText(body, afterText(body, 0));
    case 'A':
      return void afterText(body, afterText(body, 4));
    case 'T': {
      if (body.length < 2) throw new UnreadableMessage();
      let at = 2;
      // A name and 18 bytes for each column.
      for (let column = 0; column < body.readUInt16BE(0); column++) at = afterText(body, at) + 18;
      if (at > body.length) throw new UnreadableMessage();
    }
  }
}

function byteAt(body: Buffer, at: number): number {
  const byte = body[at];
  if (byte === undefined) throw new UnreadableMessage();
  return byte;
}

function afterText(body: Buffer, at: number): number {
  const end = body.indexOf(0, at);
  if (end < 0 || at >= body.length) throw new UnreadableMessage();
  return end + 1;
}
