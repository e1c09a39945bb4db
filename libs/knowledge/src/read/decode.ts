import { UnreadableDocument } from '../document.js';

/** Decodes UTF-8, and UTF-16 with a byte order mark. `\r\n` becomes `\n`. Throws UnreadableDocument for anything else. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableDocument('its encoding is not UTF-8 (nor UTF-16 with a byte order mark); convert it first');
  }
  if (text.includes('\0')) throw new UnreadableDocument('it holds NUL characters: it is no text');
  return text.replaceAll('\r\n', '\n');
}
