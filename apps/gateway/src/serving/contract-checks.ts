import { Refusal } from '#lib/contracts';
import { FairSlots, OverLimit, Sandbox, TooManyWaiting } from '#lib/sandbox';
import type { CheckedContract, checkContract, ContractToCheck } from './contract-check.js';

/** Time of a processor that all contracts of one announcement may take, and one of them. An ordinary one takes some milliseconds. */
const announcementMs = 10_000;
const contractMs = 2_000;
/** Tenants whose announcements are worked on at once, and announcements of one that wait for longer than the patience. */
const together = 2;
const mostWaiting = 64;
const patienceMs = 5_000;
const never = new AbortController().signal;

/** Checks contracts of one announcement. */
export type Check = (contract: ContractToCheck) => Promise<CheckedContract>;

/**
 * Checks contracts of strangers in processes of their own, which are started when the first one comes: one announcement of a tenant at a
 * time, within a time that is killed.
 */
export class ContractChecks {
  readonly #sandbox: Sandbox<{ checkContract: typeof checkContract }>;
  readonly #slots = new FairSlots({ total: together, perTenant: 1, maxWaiting: mostWaiting, patienceMs });

  /** @param root the folder that contains `dist` and `node_modules` */
  constructor(root: string) {
    const entry = 'dist/apps/gateway/src/serving/contract-process.js';
    this.#sandbox = new Sandbox({ root, entry, processes: together, perTenant: 1 });
  }

  /**
   * Works on an announcement once it is the tenant's turn. Throws RATE_LIMITED where too many of the tenant wait.
   * @param onSpent told the time of a processor that each check took, in ms
   */
  async inTurn<T>(tenant: string, onSpent: (ms: number) => void, work: (check: Check) => Promise<T>): Promise<T> {
    using _slot = await this.#slots.acquire(tenant, never).catch((error: unknown) => {
      if (!(error instanceof TooManyWaiting)) throw error;
      throw new Refusal('RATE_LIMITED', 'Too many announcements of your tenant wait to be checked; connect again later', {
        retry_after_ms: patienceMs,
      });
    });
    let leftMs = announcementMs;
    // Without `await` the turn would be over before the work.
    return await work(async (contract) => {
      if (leftMs <= 0)
        return { kind: 'refused', reason: 'the contracts of this announcement take too long to check; announce fewer at once' };
      const spend = (ms: number): void => {
        leftMs -= ms;
        onSpent(ms);
      };
      try {
        const timeMs = Math.min(leftMs, contractMs);
        return await this.#sandbox.run('checkContract', contract, { tenant, signal: never, timeMs, onSpent: spend });
      } catch (error) {
        if (!(error instanceof OverLimit)) throw error;
        spend(contractMs);
        return { kind: 'refused', reason: `checking it ${error.message}: make its schemas simpler` };
      }
    });
  }

  close(): void {
    this.#sandbox.close();
  }
}
