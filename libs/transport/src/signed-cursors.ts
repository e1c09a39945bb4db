import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { z } from 'zod';

/** Opaque places in a list, signed and bound to who asks for what: edited, foreign and made-up ones open to nothing. */
export class SignedCursors<Place> {
  readonly #key: Buffer | KeyObject;
  readonly #schema: z.ZodType<Place>;

  constructor(key: Buffer | KeyObject, schema: z.ZodType<Place>) {
    this.#key = key;
    this.#schema = schema;
  }

  /** @param binding what the cursor is good for: the caller and the whole query */
  seal(place: Place, binding: string): string {
    const body = Buffer.from(JSON.stringify(place)).toString('base64url');
    return `${body}.${this.#mac(body, binding)}`;
  }

  /** The place, or null for anything that `seal` did not give for this binding. */
  open(cursor: unknown, binding: string): Place | null {
    const [body = '', mac = ''] = typeof cursor === 'string' ? cursor.split('.') : [];
    const expected = Buffer.from(this.#mac(body, binding));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null;
    return this.#schema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  }

  #mac(body: string, binding: string): string {
    return createHmac('sha256', this.#key).update('cursor\n').update(binding).update('\n').update(body).digest('base64url').slice(0, 32);
  }
}
