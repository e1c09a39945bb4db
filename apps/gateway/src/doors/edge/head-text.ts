import type { IncomingMessage } from 'node:http';
import { isRequestId } from '../../calls/call-facts.js';

/** Headers that say only of what request they are, by their length. Whatever else they hold is a part of the head. */
const ofOneRequest: ReadonlyMap<number, { readonly name: string; readonly says: (value: string) => boolean }> = new Map(
  [
    { name: 'traceparent', says: (value: string) => /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/.test(value) },
    { name: 'x-request-id', says: isRequestId },
    { name: 'content-length', says: (value: string) => /^\d{1,9}$/.test(value) },
  ].map((header) => [header.name.length, header]),
);

/** The head of a request as it came, in the order and the spelling of its client, without what differs from one to the next. */
export function headText({ method, httpVersion, rawHeaders }: IncomingMessage, target: string): string {
  let text = `${method} ${target} ${httpVersion}`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const known = ofOneRequest.get(name.length);
    if (known && name.toLowerCase() === known.name && known.says(value)) continue;
    text += `\n${name}:${value}`;
  }
  return text;
}
