import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

interface LinkedFile {
  readonly id: string;
  readonly visibility: 'private' | 'public';
  readonly expiresAt: Date;
}

interface LinkTerms {
  /** Where callers reach the gateway. */
  readonly publicUrl: string;
  /** How long a signed link holds; never longer than its file. */
  readonly ttlMs: number;
  readonly now: number;
}

/** Addresses of files. A private file's holds until a time, and the signature binds both; a public one's is plain (TU-53). */
export class FileLinks {
  readonly #keys: readonly Buffer[];

  /** @param sealingKeys the first signs, all are believed; the keys for links are derived from them */
  constructor(sealingKeys: readonly { readonly key: Buffer }[]) {
    this.#keys = sealingKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'invoq file links', 32)));
  }

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

  /** What a request's link is worth at a time. */
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
