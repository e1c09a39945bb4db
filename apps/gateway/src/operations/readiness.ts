import { checkHealth, type Health, type HealthCheck } from '#lib/platform';

/** Whether this gateway should get requests: its stores are there and it is not stopping. */
export class Readiness {
  readonly #checks: Readonly<Record<string, HealthCheck>>;
  #stopping = false;

  constructor(checks: Readonly<Record<string, HealthCheck>>) {
    this.#checks = checks;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** From now on it is not ready, for good. */
  stop(): void {
    this.#stopping = true;
  }

  async check(): Promise<Health> {
    return checkHealth(this.#checks, this.#stopping);
  }
}
