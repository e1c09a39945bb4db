import { setTimeout as sleep } from 'node:timers/promises';
import { CallLog } from '../history/call-log.js';
import type { Random } from '../random.js';
import type { Client } from './client.js';
import type { Meter } from './meter.js';
import { RetryPolicy } from './retry-policy.js';
import { anyCall, type CallPlan } from './plans.js';

interface LoadOptions {
  readonly client: Client;
  readonly random: Random;
  /** Counts the successes of the steady clients only: bursts would distort the throughput. */
  readonly meter: Meter;
}

/** After this a client gives up its call. The audit looks up what became of it. */
const giveUpAfterMs = 75_000;
const thinkMs = { from: 150, to: 450 };

/** Clients in a closed loop, and bursts on top where a fault wants many calls in flight. */
export class Load {
  readonly #options: LoadOptions;
  readonly #calls: CallLog[] = [];
  #bursts: readonly CallLog[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  constructor(options: LoadOptions) {
    this.#options = options;
  }

  get calls(): readonly CallLog[] {
    return this.#calls;
  }

  start(clients: number): void {
    for (let number = 0; number < clients; number++) this.#track(this.#loop(this.#options.random.fork(`client-${number}`)));
  }

  /** Makes many calls at once. @param gateway where they begin; any when absent */
  burst(plans: readonly CallPlan[], gateway?: number): readonly CallLog[] {
    const random = this.#options.random.fork(`burst-${this.#calls.length}`);
    const logs = plans.map((plan) => {
      const { log, done } = this.#begin(plan, random.fork(String(this.#calls.length)), gateway);
      this.#track(done);
      return log;
    });
    this.#bursts = [...this.#bursts, ...logs];
    return logs;
  }

  /** Whether every call of every burst has ended: the next fault must not hit the calls of the one before. */
  get areBurstsOver(): boolean {
    this.#bursts = this.#bursts.filter(({ endedAt }) => endedAt === null);
    return this.#bursts.length === 0;
  }

  /** No new calls; resolves when those under way have ended or their clients have given up. A stream that never ends is left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.race([Promise.all(this.#running), sleep(2 * giveUpAfterMs)]);
  }

  async #loop(random: Random): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { log, done } = this.#begin(anyCall(random), random);
      await done;
      if (log.isOk) this.#options.meter.count(Date.now());
      await sleep(random.integer(thinkMs.from, thinkMs.to), undefined, { signal }).catch(() => undefined);
    }
  }

  #begin(plan: CallPlan, random: Random, gateway?: number): { readonly log: CallLog; readonly done: Promise<void> } {
    const { client } = this.#options;
    const log = new CallLog({ id: `call-${this.#calls.length}`, kind: plan.kind, user: plan.user });
    this.#calls.push(log);
    const retry = new RetryPolicy({
      random,
      gateway: gateway ?? random.integer(0, client.gateways - 1),
      gateways: client.gateways,
      forMs: giveUpAfterMs,
    });
    return { log, done: plan.run({ client, log, retry }) };
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}
