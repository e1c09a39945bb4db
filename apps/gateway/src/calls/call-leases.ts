import type { CallBounds, CallCounts, Counted, OverLimit } from '#lib/transport';

/** The most calls that are counted before they are made, and the share of each limit that this may be. */
const maxLease = 64;
const secondShare = 1 / 64;
const dayShare = 1 / 1_024;
/** Calls of a day that nobody makes for so long are given back. */
const idleMs = 5_000;

type Spent = { readonly kind: 'spent' } | OverLimit;

interface Waiter {
  readonly resolve: (spent: Spent) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of one credential that are counted and not made yet. */
interface Lease {
  readonly who: Counted;
  /** For the second that ends at `until`, by the steady clock. */
  ofSecond: number;
  until: number;
  ofDay: number;
  usedAt: number;
  readonly waiting: Waiter[];
  isAsking: boolean;
}

/**
 * Counts calls in Redis ahead, up to 64 at once, and spends them here. Over all gateways no limit is ever exceeded, because what is
 * spent was counted before. A caller may be refused a little early, while another gateway holds what it has not spent: at most 1/64 of
 * the calls of a second and 1/1,024 of those of a day for each gateway. Small limits are counted call by call.
 */
export class CallLeases {
  readonly #counts: CallCounts;
  readonly #leases = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(counts: CallCounts) {
    this.#counts = counts;
    this.#timer = setInterval(() => void this.#giveBack(performance.now() - idleMs), idleMs).unref();
  }

  /** Counts one call against both limits. Counts nothing when one is reached, and returns which one. */
  async spend(who: Counted, most: CallBounds): Promise<Spent> {
    const lease = this.#leaseOf(who);
    const now = performance.now();
    lease.usedAt = now;
    if (this.#take(lease, now)) return { kind: 'spent' };
    const spent = new Promise<Spent>((resolve, reject) => lease.waiting.push({ resolve, reject }));
    if (!lease.isAsking) void this.#serve(lease, most);
    return spent;
  }

  /** Gives the day's call back. */
  async refund(who: Counted): Promise<void> {
    await this.#counts.refund(who);
  }

  /** Gives back what nobody spent; from now on nothing is counted ahead. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    await this.#giveBack(Number.POSITIVE_INFINITY);
  }

  #leaseOf(who: Counted): Lease {
    const key = `${who.day} ${who.credentialId} ${who.principal}`;
    const known = this.#leases.get(key);
    if (known) return known;
    const lease = { who, ofSecond: 0, until: 0, ofDay: 0, usedAt: 0, waiting: [], isAsking: false };
    this.#leases.set(key, lease);
    return lease;
  }

  #take(lease: Lease, now: number): boolean {
    if (lease.ofSecond === 0 || lease.ofDay === 0 || now >= lease.until) return false;
    lease.ofSecond -= 1;
    lease.ofDay -= 1;
    return true;
  }

  /** Asks Redis until nobody waits. Whoever waited when it was asked has its answer from it, however late that comes. */
  async #serve(lease: Lease, most: CallBounds): Promise<void> {
    lease.isAsking = true;
    while (lease.waiting.length > 0) {
      const asking = lease.waiting.splice(0);
      const size = this.#isStopped ? 1 : leaseSize(most);
      const counted = lease.ofDay;
      const askedAt = performance.now();
      try {
        const spending = await this.#counts.spend(lease.who, most, { calls: Math.max(size, asking.length), counted });
        if (spending.kind !== 'spent') {
          for (const { resolve } of asking) resolve(spending);
          continue;
        }
        const served = asking.splice(0, spending.calls);
        lease.ofDay += spending.newOfDay - served.length;
        lease.ofSecond = spending.calls - served.length;
        lease.until = askedAt + spending.leftMs;
        for (const { resolve } of served) resolve({ kind: 'spent' });
        lease.waiting.unshift(...asking);
        while (lease.waiting.length > 0 && this.#take(lease, performance.now())) lease.waiting.shift()?.resolve({ kind: 'spent' });
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
    lease.isAsking = false;
  }

  /** Forgets the leases that were last used before a time, and gives the calls of their day back. */
  async #giveBack(usedBefore: number): Promise<void> {
    const idle = [...this.#leases].filter(([, { usedAt, isAsking }]) => usedAt < usedBefore && !isAsking);
    for (const [key] of idle) this.#leases.delete(key);
    // What cannot be given back counts until the day is over.
    await Promise.allSettled(idle.map(async ([, { who, ofDay }]) => ofDay > 0 && this.#counts.refund(who, ofDay)));
  }
}

function leaseSize({ perSecond, perDay }: CallBounds): number {
  return Math.max(1, Math.floor(Math.min(maxLease, perSecond * secondShare, perDay * dayShare)));
}
