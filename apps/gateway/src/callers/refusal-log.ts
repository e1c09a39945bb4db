import type { Logger } from '#lib/platform';

/** Lines a second. A flood of refused requests must not rotate all other lines away. */
const mostLines = 20;
const windowMs = 1_000;

/** Logs requests that were refused for their credential: the first of each second, and how many more there were. */
export class RefusalLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #since = 0;
  #count = 0;

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  note(facts: Readonly<Record<string, unknown>>): void {
    const now = this.#now();
    if (now - this.#since >= windowMs) {
      this.#tellMore();
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= mostLines) this.#log.info({ event: 'auth-refused', ...facts }, 'request without a valid credential');
  }

  #tellMore(): void {
    const more = this.#count - mostLines;
    if (more > 0) this.#log.info({ event: 'auth-refused-more', count: more }, 'further requests without a valid credential');
  }
}
