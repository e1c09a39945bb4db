import { Refusal, type Caller } from '#lib/contracts';
import type { Authenticator } from '../../callers/authenticator.js';
import { keptCaller } from '../../callers/kept-caller.js';
import { toRefusal } from '../../calls/to-refusal.js';
import type { BatchRow } from './batch-row.js';

/** For so long what was found of a maker holds. */
const knownMs = 1_000;

/** Refusals for the moment, which say nothing about the next try. */
export const passing: ReadonlySet<string> = new Set(['NETWORK_ERROR', 'OVERLOADED', 'RATE_LIMITED']);

/** The maker of a batch may not call any more. */
export class MakerEnded extends Error {
  override readonly name = 'MakerEnded';
}

/** Who a batch calls as: its maker, with the rights that it has now. */
export class Maker {
  readonly kept: Caller;
  readonly #authenticator: Pick<Authenticator, 'callerAgain'>;
  #known: { readonly until: number; readonly caller: Promise<Caller> } | null = null;

  constructor(row: Pick<BatchRow, 'maker'>, authenticator: Pick<Authenticator, 'callerAgain'>) {
    this.kept = keptCaller.parse(row.maker);
    this.#authenticator = authenticator;
  }

  /** Throws MakerEnded, or what passes. */
  async caller(): Promise<Caller> {
    const now = performance.now();
    if (!this.#known || this.#known.until < now) this.#known = { until: now + knownMs, caller: this.#read() };
    return this.#known.caller;
  }

  async #read(): Promise<Caller> {
    try {
      return await this.#authenticator.callerAgain(this.kept);
    } catch (error) {
      const refusal: Refusal = toRefusal(error);
      throw passing.has(refusal.error.family) ? refusal : new MakerEnded(refusal.message);
    }
  }
}
