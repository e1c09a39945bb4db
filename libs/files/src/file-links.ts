import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

interface LinkedFile {
  readonly id: string;
  readonly visibility: 'private' | 'public';
  readonly expiresAt: Date;
}

interface LinkTerms {
  /** The public URL of the gateway. */
  readonly publicUrl: string;
  /** How long a signed link is valid, in ms; never longer than its file. */
  readonly ttlMs: number;
  readonly now: number;
}

/** Makes and verifies links to files (TU-53). The link of a private file expires and is signed; that of a public file is a plain URL. */
export class FileLinks {
  readonly #keys: readonly Buffer[];

  /** @param sealingKeys the first one signs, all are accepted. The keys for links are derived from them (HKDF). */
  constructor(sealingKeys: readonly { readonly key: Buffer }[]) {
    this.#keys = sealingKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'invoq file links', 32)));
  }

  /** A link to a file, and when it expires (whole seconds). */
  linkTo(
    { id, visibility, expiresAt }: LinkedFile,
    { publicUrl, ttlMs, now }: LinkTerms,
  ): { readonly url: string; readonly expiresAt: Date } {
    const url = `${publicUrl.replace(/\/+$/, '')}/files/${id}`;
    if (visibility === 'public') return { url, expiresAt };
    const expires = Math.floor(Math.min(now + ttlMs, expiresAt.getTime()) / 1_000);
    const [key] = this.#keys;
    if (!key) throw new Error('No key to sign links with');
    return { url: `${url}?expires=${expires}&signature=${mac(key, id, String(expires))}`, expiresAt: new Date(expires * 1_000) };
  }

  /** Checks the link of a request. `invalid`: not signed by us, or altered. @param now epoch milliseconds */
  verify(
    id: string,
    { expires, signature }: { readonly expires: string; readonly signature: string },
    now: number,
  ): 'valid' | 'expired' | 'invalid' {
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, id, expires));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!isOurs) return 'invalid';
    return Number(expires) * 1_000 > now ? 'valid' : 'expired';
  }
}

function mac(key: Buffer, id: string, expires: string): string {
  return createHmac('sha256', key).update(`${id}\n${expires}`).digest('base64url').slice(0, 32);
}
