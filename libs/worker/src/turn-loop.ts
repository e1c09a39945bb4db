import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import {
  isRefusedByRedis,
  mostTogether,
  type FinishResult,
  type InvocationStore,
  type Partition,
  type RedisClient,
  type RedisKeys,
  type TakenJobs,
} from '#lib/transport';
import { Attempts, type AttemptsParts, type EndOfJob } from './attempts.js';
import { HeldJobs } from './held-jobs.js';
import { manualWorker, type ManualWorker } from './manual-worker.js';
import { Offers } from './offers.js';
import { QueueRest } from './queue-rest.js';
import { TurnPlaces } from './turn-places.js';

interface TurnLoopParts<Services extends object> extends Pick<AttemptsParts<Services>, 'steps' | 'places' | 'processor' | 'onFault'> {
  readonly domain: Domain;
  readonly partition: Partition;
  readonly keys: RedisKeys;
  readonly connection: RedisClient;
  readonly subscriber: Redis;
  readonly store: Pick<InvocationStore, 'turn' | 'handed'>;
  /** Of this process, with which the tokens of its locks begin. Default: none. */
  readonly processName?: string | undefined;
}

/** After a fault. */
const faultMs = 500;

/**
 * Works one partition in turns. Each is one script: it writes what has ended since the turn before, and takes as many jobs as there are
 * places for, up to a bound. One turn is on its way at a time; what ends meanwhile goes with the next. The last one before it sleeps offers places, for
 * which gateways hand it calls. What is rare goes by BullMQ's own scripts: jobs that fail or are given back, delayed jobs whose time has come, paused
 * queues, stalled jobs.
 */
export class TurnLoop<Services extends object> {
  readonly #parts: TurnLoopParts<Services>;
  readonly #worker: ManualWorker;
  /** Of the worker, and the token of its locks. */
  readonly #id: string;
  readonly #held: HeldJobs;
  readonly #attempts: Attempts<Services>;
  readonly #rest: QueueRest;
  readonly #offers: Offers;
  readonly #places: TurnPlaces;
  readonly #ended: EndOfJob[] = [];
  #wake: (() => void) | null = null;
  /** Whether jobs may wait that nobody has told us of. */
  #looks = true;
  /** Whether we alone know that a job waits: its marker is gone. */
  #hasMarker = false;
  #isPaused = false;
  #isClosing = false;
  #isRunning = false;
  #done: Promise<void> = Promise.resolve();

  constructor(parts: TurnLoopParts<Services>) {
    this.#parts = parts;
    const { worker, backend } = manualWorker(parts);
    this.#worker = worker;
    const { onFault, processName } = parts;
    this.#places = new TurnPlaces(parts.places, () => this.#wakeUp());
    this.#id = processName === undefined ? worker.id : `${processName}.${worker.id}`;
    this.#worker.on('error', onFault);
    this.#held = new HeldJobs({ backend, token: this.#id, lockMs: parts.domain.lockMs, onFault });
    this.#attempts = new Attempts({
      ...parts,
      worker,
      token: this.#id,
      held: this.#held,
      onEnded: (one) => this.#onEnded(one),
      onDropped: () => this.#onDropped(),
    });
    this.#rest = new QueueRest({ backend, onFault, onEnd: (hasMarker) => this.#onRested(hasMarker) });
    this.#offers = new Offers({
      ...parts,
      workerId: this.#id,
      onJob: (job) => this.#attempts.begin(job),
      onWaiting: (jobId) => this.#held.add(jobId),
      onOver: () => this.#wakeUp(),
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** BullMQ's own, whose jobs are taken by hand. */
  get worker(): ManualWorker {
    return this.#worker;
  }

  /** Begins once Redis has answered. */
  async start(): Promise<void> {
    await this.#worker.waitUntilReady();
    await this.#worker.startStalledCheckTimer();
    await this.#offers.listen();
    if (this.#isClosing) return;
    this.#held.start();
    this.#isRunning = true;
    this.#done = this.#run();
  }

  /** Takes no more jobs until `resume`. What runs goes on, and its ends are written. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#looks = true;
    this.#wakeUp();
  }

  /** Takes no more jobs, and lets running ones end. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wakeUp();
    await this.#done;
    this.#offers.stop();
    this.#held.stop();
    this.#rest.stop();
    this.#isRunning = false;
    await this.#worker.close(true);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing || this.#held.size > 0 || this.#offers.isOpen) {
      const want = this.#looks && !this.#isPaused && !this.#isClosing ? this.#enter() : 0;
      const ended = this.#ended.splice(0, mostTogether);
      const endsOffer = this.#offers.isOver || (this.#offers.isOpen && (this.#isClosing || this.#isPaused));
      if (want > 0 || ended.length > 0 || endsOffer) await this.#turn(ended, want);
      else await this.#sleep();
    }
    this.#places.leaveReserved();
  }

  /** Takes places for jobs. Where there is none, what woke us wakes another process instead, or us once there is a place. */
  #enter(): number {
    const { connection, keys, partition, onFault } = this.#parts;
    const entered = this.#places.enter();
    if (entered === 0 && this.#hasMarker) {
      this.#hasMarker = false;
      connection.zadd(keys.queue(partition, 'marker'), 0, '0').catch(onFault);
    }
    return entered;
  }

  async #turn(ended: readonly EndOfJob[], want: number): Promise<void> {
    const { partition, places, store, domain } = this.#parts;
    let left = want;
    // It has nothing more to do, and nobody waits: the next call need not be looked for.
    const isIdle = want === 0 && ended.length > 0 && ended.length === this.#held.size;
    const wish = this.#offers.wish(isIdle && !this.#isClosing && !this.#isPaused);
    try {
      const taker = { workerId: this.#id, token: this.#id, lockMs: domain.lockMs, want, ...wish };
      const turn = await store.turn(
        partition,
        ended.map(({ end }) => end),
        taker,
      );
      this.#hasMarker &&= want === 0;
      for (const [index, one] of ended.entries()) this.#onWritten(one, turn.finished[index]);
      this.#offers.written(turn.turn, wish, turn.found);
      left -= await this.#take(turn.taken, want);
    } catch (error) {
      // What was written already is found again by its name.
      this.#ended.unshift(...ended);
      this.#parts.onFault(error);
      await sleep(faultMs);
    } finally {
      for (; left > 0; left--) places.leave();
    }
  }

  /** @returns how many jobs there are to work on */
  async #take(taken: TakenJobs, want: number): Promise<number> {
    // A turn that takes nothing has not looked.
    if (want > 0) this.#parts.steps.sawPauses(this.#parts.partition, taken.pauses);
    if (taken.kind === 'stock') return this.#takeByStock();
    for (const job of taken.jobs) this.#attempts.begin(job);
    if (want > 0 && !taken.more) this.#beginRest(taken.delayedUntil);
    return taken.jobs.length;
  }

  #onWritten(one: EndOfJob, finished: FinishResult | Error | undefined): void {
    if (typeof finished === 'string') {
      this.#attempts.drop(one.job.id);
      return this.#tell(one, finished);
    }
    const error = finished ?? new TypeError('A turn has no reply to an end');
    this.#parts.onFault(error);
    if (isRefusedByRedis(error)) void sleep(faultMs).then(() => this.#onEnded(one));
    else void this.#attempts.fail(one.job, error);
  }

  /** What is told of an end must not undo the turn that wrote it. */
  #tell({ onEnded }: EndOfJob, finished: FinishResult): void {
    try {
      onEnded(finished);
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  /** @returns how many there are to work on */
  async #takeByStock(): Promise<number> {
    try {
      if (await this.#attempts.beginByStock()) return 1;
      this.#beginRest(0);
    } catch (error) {
      this.#parts.onFault(error);
      await sleep(faultMs);
    }
    return 0;
  }

  #onEnded(one: EndOfJob): void {
    this.#ended.push(one);
    this.#wakeUp();
  }

  #onDropped(): void {
    if (this.#isClosing) this.#wakeUp();
  }

  /** @param delayedUntil as with `QueueRest` */
  #beginRest(delayedUntil: number): void {
    this.#looks = false;
    this.#rest.begin(delayedUntil);
  }

  #onRested(hasMarker: boolean): void {
    this.#hasMarker = hasMarker;
    this.#looks = true;
    this.#wakeUp();
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
    // What ends in this turn of the event loop goes together.
    await setImmediate();
  }

  #wakeUp(): void {
    this.#wake?.();
  }
}
