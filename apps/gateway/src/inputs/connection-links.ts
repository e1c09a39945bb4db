import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { SealingKey } from '#lib/transport';

const shape = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** Signs addresses by which the caller of a call that waits for an account begins to connect it. */
export class ConnectionLinks {
  readonly #keys: readonly KeyObject[];
  readonly #url: string;

  /**
   * @param sealingKeys the first one signs, all are accepted. The keys for links are derived from them (HKDF).
   * @param url how browsers reach the gateway, without a slash at its end
   */
  constructor(sealingKeys: readonly Pick<SealingKey, 'key'>[], url: string) {
    this.#keys = sealingKeys.map(({ key }) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'invoq connection links', 32))));
    this.#url = url;
  }

  /** The address for an input request. */
  addressOf(inputId: string): string {
    const [first] = this.#keys;
    if (!first) throw new Error('No key to sign links with');
    return `${this.#url}/connections/requests/${inputId}.${mac(first, inputId)}`;
  }

  /** The input request of a token of ours; null for every other. */
  find(token: string): string | null {
    const [, inputId = '', signature = ''] = shape.exec(token) ?? [];
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, inputId));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return isOurs ? inputId : null;
  }
}

function mac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
