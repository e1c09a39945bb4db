import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisQueueBackend } from 'bullmq';
import { isRedisFault } from '#lib/transport';

/** The longest sleep of a worker that nobody wakes, in seconds. */
const longestS = 5;
/** After a fault. */
const faultMs = 500;

interface QueueRestParts {
  readonly backend: Pick<RedisQueueBackend, 'waitForJob' | 'reconnectBlocking' | 'minimumBlockTimeout'>;
  readonly onFault: (error: unknown) => void;
  /** @param hasMarker whether somebody says that there is work, and we alone have heard it */
  readonly onEnd: (hasMarker: boolean) => void;
}

/** The sleep of a worker whose queue has no work, on a connection of its own. One at a time. */
export class QueueRest {
  readonly #parts: QueueRestParts;
  #isResting = false;
  #isOver = false;

  constructor(parts: QueueRestParts) {
    this.#parts = parts;
  }

  /** Until somebody says that there is work, or a delayed job is due, or a while. @param delayedUntil epoch ms, or 0 for no such job */
  begin(delayedUntil: number): void {
    if (this.#isResting || this.#isOver) return;
    this.#isResting = true;
    const { backend, onEnd } = this.#parts;
    const dueS = delayedUntil === 0 ? longestS : (delayedUntil - Date.now()) / 1_000;
    void backend
      .waitForJob(Math.max(backend.minimumBlockTimeout, Math.min(dueS, longestS)))
      .then(
        (marker) => marker !== null,
        async (error: unknown) => this.#onFault(error),
      )
      .then((hasMarker) => {
        this.#isResting = false;
        onEnd(hasMarker);
      });
  }

  /** Faults of the connection that closes are none. */
  stop(): void {
    this.#isOver = true;
  }

  async #onFault(error: unknown): Promise<false> {
    const { backend, onFault } = this.#parts;
    if (this.#isOver) return false;
    // The connections tell of themselves.
    if (!isRedisFault(error)) onFault(error);
    await sleep(faultMs);
    await backend.reconnectBlocking().catch(onFault);
    return false;
  }
}
