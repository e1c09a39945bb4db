import { randomFillSync } from 'node:crypto';

/** Bytes of random digits that are made at once: random bytes cost by the asking. */
const pooledBytes = 4_096;

let pool = '';
let at = 0;

/** Random hexadecimal digits, each given once. @param digits at most 8,192 */
export function randomHex(digits: number): string {
  if (at + digits > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(pooledBytes)).toString('hex');
    at = 0;
  }
  at += digits;
  return pool.slice(at - digits, at);
}
