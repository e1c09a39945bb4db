import { setTimeout as sleep } from 'node:timers/promises';
import { CallLog } from '../history/call-log.js';
import type { Random } from '../random.js';
import type { Client } from './client.js';
import type { Meter } from './meter.js';
import { Patience } from './patience.js';
import { anyCall, type CallPlan } from './plans.js';

interface LoadOptions {
  readonly client: Client;
  readonly random: Random;
  /** Counts the successes of the steady clients; volleys would blur it. */
  readonly meter: Meter;
}

/** A call that takes longer is given up by its client; what became of it is looked up in the end. */
const patienceMs = 75_000;
const thinkMs = { from: 150, to: 450 };

/** Clients in a closed loop, and volleys on top where a fault wants many calls in flight. */
export class Load {
  readonly #options: LoadOptions;
  readonly #calls: CallLog[] = [];
  #volleys: readonly CallLog[] = [];
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
  volley(plans: readonly CallPlan[], gateway?: number): readonly CallLog[] {
    const random = this.#options.random.fork(`volley-${this.#calls.length}`);
    const logs = plans.map((plan) => {
      const { log, done } = this.#begin(plan, random.fork(String(this.#calls.length)), gateway);
      this.#track(done);
      return log;
    });
    this.#volleys = [...this.#volleys, ...logs];
    return logs;
  }

  /** Whether every volley has its answers: what a fault has struck should be over before the next one strikes. */
  get areVolleysOver(): boolean {
    this.#volleys = this.#volleys.filter(({ endedAt }) => endedAt === null);
    return this.#volleys.length === 0;
  }

  /** No new calls; resolves when those under way have ended or their clients have given up. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
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
    const log = new CallLog({ id: `call-${this.#calls.length}`, kind: plan.kind });
    this.#calls.push(log);
    const patience = new Patience({
      random,
      gateway: gateway ?? random.integer(0, client.gateways - 1),
      gateways: client.gateways,
      forMs: patienceMs,
    });
    return { log, done: plan.run({ client, log, patience }) };
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}
