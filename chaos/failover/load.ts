import { setTimeout as sleep } from 'node:timers/promises';
import { acceptedShape, jobShape, type HttpCaller, type Reply } from '#lib/testing';
import type { Ledger } from '../../test/lab/ledger-server.js';

const callers = 16;
/** After a refusal, whatever Retry-After says: so the gap is measured well. */
const againMs = 50;
const settleMs = 90_000;
/** Ends that are asked for at once. All at once would hold up the ledger, which is in this process, so that calls time out at it. */
const asking = 64;

interface Accepted {
  /** The ledger's name of it, in case that it makes an effect. */
  readonly effect: string | null;
  readonly jobId: string;
  readonly self: string;
  readonly at: number;
}

/** What clients saw, and what became of what they were told is accepted. */
export interface Seen {
  readonly accepted: number;
  readonly completed: number;
  readonly refused: number;
  /** The longest time between two calls that were accepted, in ms. */
  readonly gapMs: number;
  /** Whatever should not have been: other answers, other ends, effects that did not happen once. */
  readonly wrong: readonly string[];
}

/** Calls that have an effect, at all gateways in turn, until it is stopped; then the end of each is waited for. */
export class FailoverLoad {
  readonly #at: readonly HttpCaller[];
  readonly #ledger: Ledger;
  readonly #accepted: Accepted[] = [];
  readonly #wrong: string[] = [];
  #refused = 0;
  readonly #ending = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(at: readonly HttpCaller[], ledger: Ledger, name: string) {
    this.#at = at;
    this.#ledger = ledger;
    this.#running = Promise.all(Array.from({ length: callers }, async (_, caller) => this.#call(`${name}-${caller}`)));
  }

  get accepted(): number {
    return this.#accepted.length;
  }

  async stop(): Promise<Seen> {
    this.#ending.abort();
    await this.#running;
    const before = performance.now() + settleMs;
    let completed = 0;
    const left = this.#accepted.entries();
    const ask = async (): Promise<void> => {
      for (const [index, call] of left) if (await this.#endOf(call, { at: this.#at[index % this.#at.length], before })) completed += 1;
    };
    await Promise.all(Array.from({ length: asking }, ask));
    const times = this.#accepted.map(({ at }) => at).toSorted((a, b) => a - b);
    return {
      accepted: this.#accepted.length,
      completed,
      refused: this.#refused,
      gapMs: Math.round(Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))),
      wrong: this.#wrong,
    };
  }

  async #call(name: string): Promise<void> {
    for (let number = 0; !this.#ending.signal.aborted; number += 1) {
      const caller = this.#at[number % this.#at.length];
      const order = `${name}-${number}`;
      // Every fourth runs for a while.
      const effect = number % 4 === 0 ? null : order;
      // And every eighth is of one line, in which a few run at a time.
      const witness = number % 8 === 1;
      const [tool, params] = effect === null ? ['lab_steps', { order, steps: 4, step_ms: 100 }] : ['lab_effect', { order, witness }];
      const reply = await caller?.post(`/tools/${tool}`, params, { prefer: 'respond-async' }).catch((error: unknown) => String(error));
      if (reply === undefined || typeof reply === 'string') this.#wrong.push(`no answer: ${reply}`);
      else this.#note(reply, effect);
      if (typeof reply === 'object' && reply.status !== 202) await sleep(againMs);
    }
  }

  #note(reply: Reply, effect: string | null): void {
    if (reply.status === 202) {
      const { job_id: jobId, links } = reply.as(acceptedShape);
      this.#accepted.push({ effect, jobId, self: links.self, at: performance.now() });
    } else if (reply.status === 503 && Number(reply.headers.get('retry-after')) > 0) this.#refused += 1;
    else this.#wrong.push(`${reply.status} ${reply.text.slice(0, 300)}`);
  }

  async #endOf(
    { effect, jobId, self }: Accepted,
    { at, before }: { readonly at: HttpCaller | undefined; readonly before: number },
  ): Promise<boolean> {
    while (at && performance.now() < before) {
      const reply = await at.get(`${self}?wait=5`).catch(() => null);
      if (reply?.status === 200) {
        const { state } = reply.as(jobShape);
        if (state === 'completed') return effect === null || this.#hadOneEffect(effect);
        if (state === 'failed' || state === 'cancelled') {
          this.#wrong.push(`${jobId} ${state}: ${reply.text.slice(0, 1_000)}`);
          return false;
        }
      } else if (reply && reply.status !== 503) {
        this.#wrong.push(`${jobId}: ${reply.status} ${reply.text.slice(0, 200)}`);
        return false;
      }
      await sleep(againMs);
    }
    this.#wrong.push(`${jobId} had no end after ${settleMs / 1_000} s`);
    return false;
  }

  /** However often it ran, and under however many ids. */
  #hadOneEffect(order: string): boolean {
    const { length } = this.#ledger.of(order).effects;
    if (length !== 1) this.#wrong.push(`${order} had ${length} effects`);
    return length === 1;
  }
}
