import { TooManyWaiting } from './errors.js';

export interface SlotLimits {
  /** How many tasks run at once. */
  readonly total: number;
  /** How many of them may be one tenant's. Below `total`, so that no tenant holds up the others. */
  readonly perTenant: number;
  /** How many tasks of a tenant may wait for longer than `patienceMs`. A waiting task occupies its worker's capacity for calls. */
  readonly maxWaiting: number;
  readonly patienceMs: number;
}

interface Waiter {
  readonly tenant: string;
  readonly start: () => void;
}

/** Slots for tasks. A free slot goes to the tenant with the fewest running tasks; among equals to the task that came first. */
export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #free: number;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#free = limits.total;
  }

  /**
   * Waits for a slot. Disposing gives it back.
   * @throws TooManyWaiting if the task has waited for `patienceMs` and `maxWaiting` of its tenant are before it; the signal's reason
   */
  async acquire(tenant: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        settle();
        reject(reason);
      };
      const onAbort = (): void => leave(signal.reason);
      const impatient = setTimeout(() => {
        const before = this.#waiting.filter((one) => one.tenant === tenant).indexOf(waiter);
        if (before >= this.#limits.maxWaiting) leave(new TooManyWaiting(`${before} tasks of this tenant are waiting already`));
      }, this.#limits.patienceMs);
      const settle = (): void => {
        clearTimeout(impatient);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter = {
        tenant,
        start: () => {
          settle();
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#startNext();
    });
    return { [Symbol.dispose]: () => this.#release(tenant) };
  }

  #release(tenant: string): void {
    const left = this.#runningOf(tenant) - 1;
    if (left > 0) this.#running.set(tenant, left);
    else this.#running.delete(tenant);
    this.#free += 1;
    this.#startNext();
  }

  #startNext(): void {
    if (this.#free === 0) return;
    const startable = this.#waiting.filter(({ tenant }) => this.#runningOf(tenant) < this.#limits.perTenant);
    const [first] = startable.toSorted((a, b) => this.#runningOf(a.tenant) - this.#runningOf(b.tenant));
    if (!first) return;
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    this.#free -= 1;
    this.#running.set(first.tenant, this.#runningOf(first.tenant) + 1);
    first.start();
  }

  #runningOf(tenant: string): number {
    return this.#running.get(tenant) ?? 0;
  }
}
