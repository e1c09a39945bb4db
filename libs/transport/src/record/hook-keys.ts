import { createHmac, hkdfSync } from 'node:crypto';
import { hookIn, isSignedHook, type HookName } from '#lib/contracts';
import type { SealingKey } from './sealing.js';

/** The keys by which calls sign the addresses of their hooks: one for each call, so that a worker which has one signs for no other call. */
export class HookKeys {
  readonly #keys: readonly Buffer[];

  /** @param sealingKeys the first one signs, all are accepted. The keys for hooks are derived from them (HKDF). */
  constructor(sealingKeys: readonly Pick<SealingKey, 'key'>[]) {
    this.#keys = sealingKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'invoq hooks', 32)));
  }

  keyOf(jobId: string): string {
    const [first] = this.#keys;
    if (!first) throw new Error('No key to sign hooks with');
    return keyFrom(first, jobId);
  }

  /** The hook that a token of ours is for; null for every other. */
  hookOf(token: string): HookName | null {
    const said = hookIn(token);
    return said && this.#keys.some((key) => isSignedHook(keyFrom(key, said.jobId), token)) ? said : null;
  }
}

function keyFrom(key: Buffer, jobId: string): string {
  return createHmac('sha256', key).update(jobId).digest('base64url');
}
