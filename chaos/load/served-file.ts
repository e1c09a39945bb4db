import { createHash } from 'node:crypto';

/** A tool of a user's worker that gives a file in pieces. */
export const servedFileFacts = { name: 'served_file', domain: 'own-chaos', effect: 'read', timeoutMs: 60_000 } as const;

const parts = 30;
const partBytes = 40_960;
/** Between two parts: so a file takes some seconds, and a piece of it is sent after a second. */
export const partMs = 100;

/** The bytes of the file of one order, the same in each attempt. */
export function* partsOf(order: string): Generator<Buffer> {
  for (let part = 0; part < parts; part++) yield Buffer.alloc(partBytes, createHash('sha256').update(`${order} ${part}`).digest());
}
