import { invalidParameter } from '#lib/contracts';
import { z } from 'zod';
import { SignedCursors, type SealingKey } from '#lib/transport';

export const jobPlace = z.strictObject({
  before: z.number().int().nonnegative(),
  skip: z.array(z.string().max(100)).max(1_000).readonly(),
});

/** Cursors of a list: a wrong one is INVALID_PARAMS. */
export class Cursors<Place> {
  readonly #signed: SignedCursors<Place>;

  constructor(keys: readonly SealingKey[], place: z.ZodType<Place>) {
    this.#signed = new SignedCursors<Place>(keys, place);
  }

  seal(where: Place, binding: string): string {
    return this.#signed.seal(where, binding);
  }

  open(cursor: unknown, binding: string): Place {
    const where = this.#signed.open(cursor, binding);
    if (where) return where;
    throw invalidParameter('cursor', 'must be the next_cursor of a page of the same query');
  }
}
