import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isApiKey, type Caller } from '#lib/contracts';

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
  /** For whom the link is made: it ends with this credential. */
  readonly maker: Pick<Caller, 'credentialId' | 'credentialEndsAt'>;
}

interface SignedLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** What a link says in its query. */
export interface LinkParts {
  /** Epoch seconds. */
  readonly expires: string;
  /** Id of the API key with which the link ends; empty for a link of somebody without one. */
  readonly key: string;
  readonly signature: string;
}

/**
 * Makes and verifies links to files (TU-53). The link of a private file expires and is signed; that of a public file is a plain URL.
 * A link of a token ends with the token. A link of an API key names the key, which the reader has to check: it may be revoked.
 */
export class FileLinks {
  readonly #keys: readonly Buffer[];

  /** @param sealingKeys the first one signs, all are accepted. The keys for links are derived from them (HKDF). */
  constructor(sealingKeys: readonly { readonly key: Buffer }[]) {
    this.#keys = sealingKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'invoq file links', 32)));
  }

  /** A link to a file, and when it expires (whole seconds). */
  linkTo({ id, visibility, expiresAt }: LinkedFile, { publicUrl, ttlMs, now, maker }: LinkTerms): SignedLink {
    const url = `${publicUrl.replace(/\/+$/, '')}/files/${id}`;
    if (visibility === 'public') return { url, expiresAt };
    return this.#signed(url, id, { endsAt: Math.min(now + ttlMs, expiresAt.getTime()), maker });
  }

  /**
   * The same link for another reader of the answer: it ends with his credential, and no later than before.
   * @returns null for what is no signed link of ours, such as that of a public file
   */
  linkFor(reader: LinkTerms['maker'], link: string): SignedLink | null {
    const { origin, pathname, searchParams } = new URL(link);
    const [expires = '', key = '', signature = ''] = ['expires', 'key', 'signature'].map((name) => searchParams.get(name) ?? '');
    const id = pathname.slice(pathname.lastIndexOf('/') + 1);
    const endsAt = Number(expires) * 1_000;
    if (this.verify(id, { expires, key, signature }, endsAt - 1) !== 'valid') return null;
    return this.#signed(origin + pathname, id, { endsAt, maker: reader });
  }

  /** The id of the file that a link of ours is for; null for any other address. That of a public file has no signature. */
  fileOf(link: string): string | null {
    const { pathname, searchParams } = new URL(link);
    const [expires = '', key = '', signature = ''] = ['expires', 'key', 'signature'].map((name) => searchParams.get(name) ?? '');
    const id = pathname.slice(pathname.lastIndexOf('/') + 1);
    return this.verify(id, { expires, key, signature }, 0) === 'invalid' ? null : id;
  }

  #signed(url: string, id: string, { endsAt, maker }: { readonly endsAt: number; readonly maker: LinkTerms['maker'] }): SignedLink {
    const expires = Math.floor(Math.min(endsAt, maker.credentialEndsAt ?? Infinity) / 1_000);
    const keyId = isApiKey(maker.credentialId) ? maker.credentialId : '';
    const [key] = this.#keys;
    if (!key) throw new Error('No key to sign links with');
    const signature = mac(key, id, { expires: String(expires), key: keyId });
    const named = keyId && `&key=${encodeURIComponent(keyId)}`;
    return { url: `${url}?expires=${expires}${named}&signature=${signature}`, expiresAt: new Date(expires * 1_000) };
  }

  /** Checks the link of a request. `invalid`: not signed by us, or altered. @param now epoch milliseconds */
  verify(id: string, { signature, ...signed }: LinkParts, now: number): 'valid' | 'expired' | 'invalid' {
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, id, signed));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!isOurs) return 'invalid';
    return Number(signed.expires) * 1_000 > now ? 'valid' : 'expired';
  }
}

function mac(secret: Buffer, id: string, { expires, key }: Omit<LinkParts, 'signature'>): string {
  // JSON has no line breaks, so neither text can stand for the other.
  const text = key === '' ? `${id}\n${expires}` : JSON.stringify([id, expires, key]);
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 32);
}
