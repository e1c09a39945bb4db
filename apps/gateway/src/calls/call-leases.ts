import type { CallBounds, CallCounts, Counted, OverLimit } from '#lib/transport';

/** The most calls that are counted before they are made, and the share of each limit that this may be. */
const minLease = 64;
const maxLease = 2_048;
const secondShare = 1 / 64;
const dayShare = 1 / 1_024;
/** A lease that is gone sooner is doubled, so that Redis is asked twenty times a second; one that lasts longer is halved. */
const askEveryMs = 50;
/** Smaller leases are not filled up while calls of them are left. */
const minAhead = 16;
/** After a limit was reached, or Redis did not answer, no lease is filled up for so long. */
const refusedMs = 100;
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
  /** Ends when Redis has answered all that was asked. */
  asking: Promise<void> | null;
  /** Calls that are counted at once, where the limits allow it. */
  size: number;
  askedAt: number;
  /** It is not filled up before this time: a limit is reached, or Redis is away. */
  aheadFrom: number;
}

/**
 * Counts calls in Redis ahead, 64 at once and up to 2,048 of a busy caller, and spends them here; before they are gone the next are
 * counted. Over all gateways no limit is ever exceeded, because what is spent was counted before. A caller may be refused a little
 * early, while another gateway holds what it has not spent: at most 1/64 of the calls of a second and 1/1,024 of those of a day for
 * each gateway. Small limits are counted call by call.
 */
export class CallLeases {
  readonly #counts: Pick<CallCounts, 'spend' | 'refund'>;
  readonly #leases = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(counts: Pick<CallCounts, 'spend' | 'refund'>) {
    this.#counts = counts;
    this.#timer = setInterval(() => void this.#giveBack(performance.now() - idleMs), idleMs).unref();
  }

  /** Counts one call against both limits. Counts nothing when one is reached, and returns which one. */
  async spend(who: Counted, most: CallBounds): Promise<Spent> {
    if (this.spendAtOnce(who, most)) return { kind: 'spent' };
    const lease = this.#leaseOf(who);
    const spent = new Promise<Spent>((resolve, reject) => lease.waiting.push({ resolve, reject }));
    if (!lease.asking) this.#ask(lease, most);
    return spent;
  }

  /** Spends a call that is counted already. False where there is none: then nothing is counted. */
  spendAtOnce(who: Counted, most: CallBounds): boolean {
    const lease = this.#leaseOf(who);
    const now = performance.now();
    lease.usedAt = now;
    if (!this.#take(lease, now)) return false;
    this.#fillUp(lease, most, now);
    return true;
  }

  /** Gives the day's call back. */
  async refund(who: Counted): Promise<void> {
    await this.#counts.refund(who);
  }

  /** Gives back what nobody spent; from now on nothing is counted ahead. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    await Promise.all([...this.#leases.values()].flatMap(({ asking }) => (asking ? [asking] : [])));
    await this.#giveBack(Number.POSITIVE_INFINITY);
  }

  #leaseOf(who: Counted): Lease {
    const key = `${who.day} ${who.credentialId} ${who.principal}`;
    const known = this.#leases.get(key);
    if (known) return known;
    const lease = {
      who,
      ofSecond: 0,
      until: 0,
      ofDay: 0,
      usedAt: 0,
      waiting: [],
      asking: null,
      size: minLease,
      askedAt: 0,
      aheadFrom: 0,
    };
    this.#leases.set(key, lease);
    return lease;
  }

  #take(lease: Lease, now: number): boolean {
    if (lease.ofSecond === 0 || lease.ofDay === 0 || now >= lease.until) return false;
    lease.ofSecond -= 1;
    lease.ofDay -= 1;
    return true;
  }

  /** Counts the next calls while half of a lease is left, so that its callers need not all wait for them. */
  #fillUp(lease: Lease, most: CallBounds, now: number): void {
    if (lease.asking || this.#isStopped || now < lease.aheadFrom) return;
    const size = leaseSize(most, lease.size);
    if (size >= minAhead && lease.ofSecond <= size / 2) this.#ask(lease, most);
  }

  #ask(lease: Lease, most: CallBounds): void {
    lease.asking = this.#serve(lease, most);
  }

  /** Asks Redis once, and until nobody waits. Whoever waited when it was asked has its answer from it, however late that comes. */
  async #serve(lease: Lease, most: CallBounds): Promise<void> {
    do {
      const asking = lease.waiting.splice(0);
      const askedAt = performance.now();
      const left = leftOf(lease, askedAt);
      const size = this.#isStopped ? 1 : this.#sizeOf(lease, most, askedAt);
      try {
        // What is left of the second and what is asked for are together no more than a lease.
        const calls = Math.max(1, size - left, asking.length);
        const spending = await this.#counts.spend(lease.who, most, { calls, counted: lease.ofDay - left });
        if (spending.kind !== 'spent') {
          lease.aheadFrom = Math.max(lease.until, askedAt + refusedMs);
          for (const { resolve } of asking) resolve(spending);
          continue;
        }
        const served = asking.splice(0, spending.calls);
        // An answer that is here before the second is over was counted in the same one.
        const until = askedAt + spending.leftMs;
        const kept = leftOf(lease, performance.now());
        lease.ofDay += spending.newOfDay - served.length;
        lease.ofSecond = kept + spending.calls - served.length;
        lease.until = kept > 0 ? Math.max(lease.until, until) : until;
        for (const { resolve } of served) resolve({ kind: 'spent' });
        lease.waiting.unshift(...asking);
        while (lease.waiting.length > 0 && this.#take(lease, performance.now())) lease.waiting.shift()?.resolve({ kind: 'spent' });
      } catch (error) {
        lease.aheadFrom = askedAt + refusedMs;
        for (const { reject } of asking) reject(error);
      }
    } while (lease.waiting.length > 0);
    // In the same step: whoever comes next asks again.
    lease.asking = null;
  }

  #sizeOf(lease: Lease, most: CallBounds, now: number): number {
    const isGoneSoon = now - lease.askedAt < askEveryMs;
    lease.size = isGoneSoon ? Math.min(maxLease, lease.size * 2) : Math.max(minLease, lease.size / 2);
    lease.askedAt = now;
    return leaseSize(most, lease.size);
  }

  /** Forgets the leases that were last used before a time, and gives the calls of their day back. */
  async #giveBack(usedBefore: number): Promise<void> {
    const idle = [...this.#leases].filter(([, { usedAt, asking }]) => usedAt < usedBefore && !asking);
    for (const [key] of idle) this.#leases.delete(key);
    // What cannot be given back counts until the day is over.
    await Promise.allSettled(idle.map(async ([, { who, ofDay }]) => ofDay > 0 && this.#counts.refund(who, ofDay)));
  }
}

/** Calls that are counted for the present second and not made yet. */
function leftOf({ ofSecond, until }: Lease, now: number): number {
  return now < until ? ofSecond : 0;
}

function leaseSize({ perSecond, perDay }: CallBounds, wanted: number): number {
  return Math.max(1, Math.floor(Math.min(wanted, perSecond * secondShare, perDay * dayShare)));
}
