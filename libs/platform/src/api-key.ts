// An API key is `invoq_<id>_<secret><checksum>`: a prefix that scanners recognise, a public id to look it up by, 190 bits of
// secret, and a CRC-32 that tells a mistyped key from an unknown one without asking the database.
import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 12;
const secretLength = 32;
const checksumLength = 6;
const shape = new RegExp(`^invoq_([0-9A-Za-z]{${idLength}})_([0-9A-Za-z]{${secretLength + checksumLength}})$`);

export interface MintedApiKey {
  /** Public part; the primary key of the stored row. */
  readonly id: string;
  /** The whole key. Shown to its owner once and kept nowhere. */
  readonly key: string;
  /** SHA-256 of the whole key, hex. The only form that is stored. */
  readonly hash: string;
}

/** Makes a new key from the system's random source. */
export function mintApiKey(): MintedApiKey {
  const id = randomText(idLength);
  const body = `invoq_${id}_${randomText(secretLength)}`;
  const key = body + checksum(body);
  return { id, key, hash: hashApiKey(key) };
}

/** The public id of a well-formed key, or null when the form or the checksum is wrong. */
export function apiKeyId(key: string): string | null {
  const match = shape.exec(key);
  if (!match?.[1]) return null;
  const body = key.slice(0, -checksumLength);
  return checksum(body) === key.slice(-checksumLength) ? match[1] : null;
}

export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Compares a presented key with a stored hash in constant time. */
export function matchesApiKey(key: string, storedHash: string): boolean {
  const presented = Buffer.from(hashApiKey(key), 'hex');
  const stored = Buffer.from(storedHash, 'hex');
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let place = 0; place < checksumLength; place++) {
    out = alphabet[rest % alphabet.length] + out;
    rest = Math.floor(rest / alphabet.length);
  }
  return out;
}
