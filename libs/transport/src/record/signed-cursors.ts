import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { SealingKey } from './sealing.js';

/** Opaque places in a list, signed and bound to who asks for what: edited, foreign and made-up ones open to nothing. */
export class SignedCursors<Place> {
  readonly #keys: readonly SealingKey[];
  readonly #schema: z.ZodType<Place>;

  /** @param keys at least one: the first signs, all verify */
  constructor(keys: readonly SealingKey[], schema: z.ZodType<Place>) {
    this.#keys = keys;
    this.#schema = schema;
  }

  /** @param binding what the cursor is good for: the caller and the whole query */
  seal(place: Place, binding: string): string {
    const body = Buffer.from(JSON.stringify(place)).toString('base64url');
    const [first] = this.#keys;
    if (!first) throw new Error('SEALING_KEYS needs at least one key');
    return `${body}.${mac(first, binding, body)}`;
  }

  /** The place, or null for anything that `seal` did not give for this binding. */
  open(cursor: unknown, binding: string): Place | null {
    const [body = '', signature = ''] = typeof cursor === 'string' ? cursor.split('.') : [];
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, binding, body));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!isOurs) return null;
    return this.#schema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  }
}

function mac({ key }: SealingKey, binding: string, body: string): string {
  return createHmac('sha256', key).update('cursor\n').update(binding).update('\n').update(body).digest('base64url').slice(0, 32);
}
