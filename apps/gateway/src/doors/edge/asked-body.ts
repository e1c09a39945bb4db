import type { MessageId } from '../../calls/repeatable-call.js';

const id = String.raw`"id":(0|[1-9]\d{0,14}|"[\w-]{0,64}")`;
/** Where clients write the id: as the last field of the message, or as the second one. In both places it is a field of the message itself. */
const places = [new RegExp(`,${id}(?=\\}$)`), new RegExp(`(?<=^\\{"jsonrpc":"2\\.0"),${id}(?=,)`)];

/** What a body asks for: the same words are the same call. */
export interface AskedBody {
  /** A character for each byte. */
  readonly words: string;
  readonly id: MessageId | null;
}

/** @param hasId whether the body is a message with an id @returns null for a message whose id is not found */
export function askedIn(body: Buffer, hasId: boolean): AskedBody | null {
  const text = body.toString('latin1');
  if (!hasId) return { words: text, id: null };
  for (const place of places) {
    const found = place.exec(text);
    const written = found?.[1];
    if (!found || written === undefined) continue;
    const words = `${text.slice(0, found.index)}\0${text.slice(found.index + found[0].length)}`;
    return { words, id: written.startsWith('"') ? written.slice(1, -1) : Number(written) };
  }
  return null;
}
