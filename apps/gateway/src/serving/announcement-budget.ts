import { Refusal } from '#lib/contracts';
import { PointBuckets } from '#lib/platform';
import type { AnnouncedContract } from './announced-contract.js';

/** Points that a tenant has at a gateway, and gets back in a second. */
const most = 1_000;
const perSecond = 10;
/** A connection and each contract that has to be checked cost a point, and one more for so many bytes. */
const bytesOfPoint = 4_096;
/** So does the time of a processor that a check takes. */
const msOfPoint = 10;
/** What is announced again unchanged is only compared. */
const comparedBytesOfPoint = 65_536;

/** What tenants may have a gateway spend on their announcements: each connection has a price, by the number and bytes of its contracts. */
export class AnnouncementBudget {
  readonly #buckets: PointBuckets;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(now?: () => number) {
    this.#buckets = new PointBuckets({ perSecond, most, now });
  }

  /** Throws RATE_LIMITED when nothing is left. Costs nothing. */
  require(tenant: string): void {
    this.spend(tenant, 0);
  }

  /** What is left may be exceeded once, so that every announcement that is allowed at all is taken some time. */
  spend(tenant: string, price: number): void {
    const waitMs = this.#buckets.take(tenant, price);
    if (waitMs > 0) throw tooMuch(waitMs);
  }

  /**
   * What the check of contracts has cost: small ones may take long. A full bucket is the most that is owed for it, which is what all contracts
   * of one announcement may take: the next one is not begun while anything is owed. @param ms time of a processor
   */
  charge(tenant: string, ms: number): void {
    this.#buckets.charge(tenant, ms / msOfPoint);
  }
}

/** Of a connection: everything is compared with what is kept. */
export function priceOfLook(announced: readonly AnnouncedContract[]): number {
  return 1 + bytesOf(announced) / comparedBytesOfPoint;
}

/** Of those that have to be checked. */
export function priceOfCheck(changed: readonly AnnouncedContract[]): number {
  return changed.length + bytesOf(changed) / bytesOfPoint;
}

function bytesOf(contracts: readonly AnnouncedContract[]): number {
  return contracts.reduce((sum, { text }) => sum + text.length, 0);
}

function tooMuch(waitMs: number): Refusal {
  const message = 'Your tenant announces more contracts than a gateway checks for it; connect again later, with fewer or smaller ones';
  return new Refusal('RATE_LIMITED', message, { retry_after_ms: waitMs });
}
