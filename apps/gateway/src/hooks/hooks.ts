import { handlerRests, Refusal, type Decision, type HookName, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { partitionOfJob, queuedJob, type HookKeys, type InvocationHead, type InvocationStore } from '#lib/transport';

interface HooksParts {
  readonly store: Pick<InvocationStore, 'read' | 'resting' | 'steps'>;
  readonly keys: Pick<HookKeys, 'hookOf'>;
  readonly contractOf: (head: InvocationHead) => ToolContract | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What calls wait for: their hooks, as somebody outside calls them, and the answers to their questions. */
export class Hooks {
  readonly #parts: HooksParts;

  constructor(parts: HooksParts) {
    this.#parts = parts;
  }

  /** The hook of an address that we have signed. */
  find(token: string): HookName | null {
    return this.#parts.keys.hookOf(token);
  }

  /**
   * Keeps what a hook was called with, or a question answered with, and wakes the call where it rests for it. Throws PAYLOAD_TOO_LARGE.
   * @param decision of the person who answers
   * @returns false when that was done before, nobody waits for it any more, or the call has ended
   */
  async answer(hook: HookName, data: unknown, decision?: Decision): Promise<boolean> {
    const { store, log, now } = this.#parts;
    const isKept = await store.steps.answer(hook, data, { now: now(), decision }).catch(refuseTooLarge);
    // It is due from now on: who wakes calls would find it within a second.
    if (isKept)
      await this.#wake(hook.jobId).catch((err: unknown) =>
        log.warn({ event: 'hook-wake', job_id: hook.jobId, err }, 'a call that has its answer wakes later'),
      );
    return isKept;
  }

  async #wake(jobId: string): Promise<void> {
    const { store, contractOf } = this.#parts;
    const record = await store.read(jobId);
    if (!record?.rest || !handlerRests.includes(record.rest.reason)) return;
    const job = queuedJob({ ...record, contract: contractOf(record.head) });
    await store.resting.wake(partitionOfJob(jobId), [{ record, job }]);
  }
}

function refuseTooLarge(error: unknown): never {
  throw error instanceof RangeError ? new Refusal('PAYLOAD_TOO_LARGE', error.message) : error;
}
