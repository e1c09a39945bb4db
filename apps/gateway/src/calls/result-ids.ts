import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { principal, type Caller } from '#lib/contracts';
import { SignedCursors, type SealingKey } from '#lib/transport';
import { Stores } from '../stores.js';

const shared = z.strictObject({ job: z.string() });

/**
 * What a result is read in parts by: the id of its job, for whoever may read that. An answer of the cache, or of a call that was shared, may be
 * that of a call of somebody else. Whoever was given it gets an id that is good for them alone.
 */
@Injectable()
export class ResultIds {
  readonly #signed: SignedCursors<z.infer<typeof shared>>;

  constructor(@Inject(Stores) { settings }: { readonly settings: { readonly SEALING_KEYS: readonly SealingKey[] } }) {
    this.#signed = new SignedCursors(settings.SEALING_KEYS, shared);
  }

  /** For a reader who was given the answer of this job. */
  idFor(reader: Caller, job: string): string {
    return this.#signed.seal({ job }, bindingOf(reader));
  }

  /** The job of an id that this reader was given; null for any other text. */
  jobOf(reader: Caller, id: string): string | null {
    return this.#signed.open(id, bindingOf(reader))?.job ?? null;
  }
}

function bindingOf(reader: Caller): string {
  return JSON.stringify(['result', principal(reader)]);
}
