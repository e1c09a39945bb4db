import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Refusal } from '#lib/contracts';

const place = z.strictObject({ before: z.number().int().nonnegative(), skip: z.array(z.string().max(100)).max(1_000).readonly() });
export type Place = Readonly<z.infer<typeof place>>;

/** Opaque cursors, signed and bound to caller and query: edited, foreign and made-up ones are INVALID_PARAMS. */
export class Cursors {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(where: Place, binding: string): string {
    const body = Buffer.from(JSON.stringify(where)).toString('base64url');
    return `${body}.${this.#mac(body, binding)}`;
  }

  open(cursor: unknown, binding: string): Place {
    const [body = '', mac = ''] = typeof cursor === 'string' ? cursor.split('.') : [];
    const expected = Buffer.from(this.#mac(body, binding));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw invalid();
    return place.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  }

  #mac(body: string, binding: string): string {
    return createHmac('sha256', this.#key).update('cursor\n').update(binding).update('\n').update(body).digest('base64url').slice(0, 32);
  }
}

function invalid(): Refusal {
  const message = "Parameter 'cursor' must be the next_cursor of a page of the same query";
  return new Refusal('INVALID_PARAMS', message, { details: [{ path: 'cursor', message }] });
}
