import { Refusal } from '#lib/contracts';
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

const mostRemembered = 1_000;

interface Account {
  readonly points: number;
  /** By a clock that nobody sets. */
  readonly at: number;
}

/** What tenants may have a gateway spend on their announcements: each connection has a price, by the number and bytes of its contracts. */
export class AnnouncementBudget {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Throws RATE_LIMITED when nothing is left. Costs nothing. */
  require(tenant: string): void {
    const points = this.#pointsOf(tenant);
    if (points <= 0) throw tooMuch(1 - points);
  }

  /** What is left may be exceeded once, so that every announcement that is allowed at all is taken some time. */
  spend(tenant: string, price: number): void {
    this.require(tenant);
    if (this.#accounts.size >= mostRemembered) this.#forgetFull();
    const points = this.#pointsOf(tenant) - price;
    this.#accounts.set(tenant, { points, at: this.#now() });
  }

  /** A tenant that has all its points needs no account. */
  #forgetFull(): void {
    for (const tenant of this.#accounts.keys()) if (this.#pointsOf(tenant) >= most) this.#accounts.delete(tenant);
  }

  /** What the check of contracts has cost: small ones may take long. @param ms time of a processor */
  charge(tenant: string, ms: number): void {
    this.#accounts.set(tenant, { points: this.#pointsOf(tenant) - ms / msOfPoint, at: this.#now() });
  }

  #pointsOf(tenant: string): number {
    const account = this.#accounts.get(tenant);
    return account ? Math.min(most, account.points + ((this.#now() - account.at) / 1_000) * perSecond) : most;
  }
}

/** @param changed those that have to be checked @param unchanged those that are only compared */
export function priceOf(changed: readonly AnnouncedContract[], unchanged: readonly AnnouncedContract[]): number {
  const bytes = (contracts: readonly AnnouncedContract[]) => contracts.reduce((sum, { text }) => sum + text.length, 0);
  return 1 + changed.length + bytes(changed) / bytesOfPoint + bytes(unchanged) / comparedBytesOfPoint;
}

function tooMuch(points: number): Refusal {
  const message = 'Your tenant announces more contracts than a gateway checks for it; connect again later, with fewer or smaller ones';
  return new Refusal('RATE_LIMITED', message, { retry_after_ms: Math.ceil((points / perSecond) * 1_000) });
}
