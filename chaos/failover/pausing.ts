// A flow and a pause, while masters of Redis die: calls of one line, and calls that wait for a pause to be over, must have their turn.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpCaller } from '#lib/testing';

/** Of one line, so many run at a time. */
const inLine = 4;
const [pausedMs, betweenMs, againMs] = [400, 2_000, 100];

/** Makes a line of all calls of a tool that have a witness. */
export async function makeFlow(admin: HttpCaller, tool: string): Promise<void> {
  const key = "args.witness ? 'in line' : string(args.order)";
  const { status, text } = await admin.request('/flows/failover', { method: 'PUT', json: { tool, key, concurrency: inLine } });
  if (status !== 200 && status !== 201) throw new Error(`${status} ${text}`);
}

/** Pauses a tool again and again, for a moment each. */
export class Pausing implements AsyncDisposable {
  readonly #admin: HttpCaller;
  readonly #tool: string;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #times = 0;

  constructor(admin: HttpCaller, tool: string) {
    this.#admin = admin;
    this.#tool = tool;
    this.#running = this.#run();
  }

  get times(): number {
    return this.#times;
  }

  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await this.#until(async () =>
        this.#admin.request('/pauses/failover', { method: 'PUT', json: { tool: this.#tool, reason: 'failover' } }),
      );
      this.#times += 1;
      await sleep(pausedMs);
      await this.#until(async () => this.#admin.delete('/pauses/failover'));
      await sleep(betweenMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
    }
  }

  /** Whatever it takes: a pause that is left would hold up all calls. */
  async #until(ask: () => Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
    for (;;) {
      const reply = await ask().catch(() => null);
      if (reply && reply.status < 300) return;
      if (reply && reply.status !== 503) throw new Error(`a pause: ${reply.status} ${reply.text}`);
      await sleep(againMs);
    }
  }

  /** The last pause is over then. Rejects when one was refused. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}
