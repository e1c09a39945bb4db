import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { SealingKey } from '#lib/transport';

/** Signs texts of addresses, and knows them again. */
export class LinkKeys {
  readonly #keys: readonly KeyObject[];

  /**
   * @param sealingKeys the first one signs, all are accepted. The keys for links are derived from them (HKDF).
   * @param what the links are of, so that those of another kind are none: `decision links`
   */
  constructor(sealingKeys: readonly Pick<SealingKey, 'key'>[], what: string) {
    this.#keys = sealingKeys.map(({ key }) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `invoq ${what}`, 32))));
  }

  /** 43 characters of base64url. */
  sign(text: string): string {
    const [first] = this.#keys;
    if (!first) throw new Error('No key to sign links with');
    return mac(first, text);
  }

  hasSigned(text: string, signature: string): boolean {
    const given = Buffer.from(signature);
    return this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, text));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function mac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
