// Secret output is encrypted in the worker and opened by the gateway for its caller alone (AES-256-GCM). The key id comes
// first, so keys can be changed: the first key of the list seals, all of them open.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomFillSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { markedPaths, principal, replaceAt, type Caller, type ToolContract } from '#lib/contracts';

const ivBytes = 12;
const tagBytes = 16;

export interface SealingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

export class Sealer {
  // As key objects: making one of raw bytes costs more than the signature that it is for.
  readonly #keys: readonly { readonly id: string; readonly key: KeyObject }[];

  constructor(keys: readonly SealingKey[]) {
    if (keys.length === 0) throw new Error('SEALING_KEYS needs at least one key');
    this.#keys = keys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  }

  /** The data with each secret value encrypted, bound to the job, the caller and the place in the data. */
  sealData(contract: ToolContract, data: unknown, binding: SealBinding): { readonly data: unknown; readonly sealed: boolean } {
    const paths = markedPaths(contract.output, 'output', ['secret']);
    if (paths.length === 0) return { data, sealed: false };
    return { data: replaceAt(data, paths, (value, path) => this.#seal(JSON.stringify(value), associated(binding, path))), sealed: true };
  }

  /** The reverse. Throws when the text was altered or belongs to another job, caller or place. */
  openData(contract: ToolContract, data: unknown, binding: SealBinding): unknown {
    const paths = markedPaths(contract.output, 'output', ['secret']);
    return replaceAt(data, paths, (value, path) => JSON.parse(this.#open(String(value), associated(binding, path))));
  }

  /** A text that is kept for later, bound to what it is for. */
  sealText(text: string, purpose: string): string {
    return this.#seal(text, Buffer.from(JSON.stringify([purpose])));
  }

  /** The reverse. Throws when the text was altered or is for something else. */
  openText(sealed: string, purpose: string): string {
    return this.#open(sealed, Buffer.from(JSON.stringify([purpose])));
  }

  /** The same text sealed by the first key; unchanged when that key sealed it. Throws as `openText` does. */
  resealText(sealed: string, purpose: string): string {
    const text = this.openText(sealed, purpose);
    return keyIdOf(sealed) === this.#keys[0]?.id ? sealed : this.sealText(text, purpose);
  }

  /** Signs what a worker acts upon, so that a forged record is not run. */
  sign(text: string): string {
    const [first] = this.#keys;
    return first ? `${first.id}.${mac(first.key, text)}` : '';
  }

  verify(text: string, signature: string): boolean {
    const [id, digest] = signature.split('.');
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (!key || !digest) return false;
    const expected = Buffer.from(mac(key.key, text));
    const given = Buffer.from(digest);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  #seal(plain: string, aad: Buffer): string {
    const [key] = this.#keys;
    if (!key) throw new Error('No sealing key');
    const iv = newIv();
    const cipher = createCipheriv('aes-256-gcm', key.key, iv).setAAD(aad);
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return `sealed.${key.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  #open(text: string, aad: Buffer): string {
    const [marker, id, body] = text.split('.');
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (marker !== 'sealed' || !key || !body) throw new Error('Not sealed by a key that is known here');
    const bytes = Buffer.from(body, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(0, ivBytes)).setAAD(aad);
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  }
}

export interface SealBinding {
  readonly jobId: string;
  readonly caller: Caller;
}

/** Random bytes cost by the asking: many are drawn at once. Each is used once. */
const pool = Buffer.allocUnsafe(512 * ivBytes);
let used = pool.length;

function newIv(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ivBytes;
  return pool.subarray(used - ivBytes, used);
}

function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1];
}

function associated({ jobId, caller }: SealBinding, path: string): Buffer {
  return Buffer.from(JSON.stringify([jobId, principal(caller), path]));
}

function mac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update('invocation-head\n').update(text).digest('base64url');
}
