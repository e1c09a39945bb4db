import { setTimeout } from 'node:timers/promises';
import type { InvocationStore, Sealer } from '#lib/transport';
import type { Authenticator } from '../../callers/authenticator.js';
import { errorPurpose, type BatchCounts, type BatchRow } from './batch-row.js';
import type { BatchStore } from './batch-store.js';
import type { FedBatches, LineChange } from './fed-batches.js';
import { LineCall, type Line, type LineCallParts, type LineEnd } from './line-call.js';
import { Maker, MakerEnded } from './maker.js';

/** Calls that are in hand at once. */
const mostInHand = 256;
/** Lines that are taken at once, and how few are left when more are taken. */
const [mostTaken, fewLeft] = [256, 64];
const writeEveryMs = 200;
/** The feeder says that it is there. */
const beatMs = 2_000;
const restPauseMs = 1_000;
const mostRestPauseMs = 60_000;
/** How long a batch is left alone after a fault. */
const faultPauseMs = 2_000;
/** Records that are read at once. */
const mostRead = 100;

export interface BatchFeedParts extends LineCallParts {
  readonly store: Pick<BatchStore, 'cancel'>;
  readonly batches: FedBatches;
  readonly authenticator: Pick<Authenticator, 'callerAgain'>;
  readonly sealer: Pick<Sealer, 'openText' | 'sealText'>;
  readonly jobs: Pick<InvocationStore, 'read'>;
}

/**
 * Feeds one batch until each of its calls has ended, or it is taken from this gateway. What has become of a call is written down after it
 * happened; whoever feeds next asks for each call again that was tried, under the same key, and so finds the one that was made.
 */
export class BatchFeed {
  readonly #parts: BatchFeedParts;
  readonly #row: BatchRow;
  readonly #fed: { readonly id: string; readonly feeder: string };
  readonly #leaving = new AbortController();
  readonly #cancelling = new AbortController();
  readonly #calls: LineCall;
  readonly #queue: Line[] = [];
  #counts: BatchCounts = { active: 0, resting: 0, completed: 0, failed: 0, cancelled: 0 };
  #changes = new Map<number, LineChange>();
  /** The place from which on lines are taken: none waits before it. */
  #from: number;
  #taking: Promise<void> | null = null;
  #wroteAt = performance.now();

  /** @param row as its feeder has claimed it */
  constructor(parts: BatchFeedParts, row: BatchRow) {
    this.#parts = parts;
    this.#row = { ...row };
    this.#from = row.taken;
    this.#fed = { id: row.id, feeder: row.feeder ?? '' };
    const [leaving, cancelling] = [this.#leaving.signal, this.#cancelling.signal];
    const signals = { leaving, cancelling, either: AbortSignal.any([leaving, cancelling]) };
    this.#calls = new LineCall(parts, { batch: this.#row, maker: new Maker(row, parts.authenticator), signals });
  }

  /** Leaves it to another feeder. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Rejects when a store is away; the batch is left then. */
  async run(): Promise<void> {
    const { batches } = this.#parts;
    try {
      this.#counts = await batches.countsOf(this.#row);
      if (this.#row.cancelledAt) this.#cancelling.abort();
      else await this.#lookAtResting();
      this.#add(await batches.openLines(this.#row, ['tried', 'called']));
      const over = new AbortController();
      const writing = this.#writeUntil(over.signal);
      try {
        await this.#feed();
      } finally {
        over.abort();
        await writing;
      }
      await this.#write();
      await this.#end();
    } catch (error) {
      this.leave();
      await batches.release(this.#fed, faultPauseMs).catch(() => undefined);
      throw error;
    }
  }

  async #feed(): Promise<void> {
    await this.#work();
    if (!this.#cancelling.signal.aborted || this.#leaving.signal.aborted) return;
    // Those that rest are in nobody's hand.
    await this.#write();
    this.#add(await this.#parts.batches.openLines(this.#row, ['resting']));
    await this.#work();
    if (!this.#leaving.signal.aborted) this.#counts = count(this.#counts, 'cancelled', await this.#parts.batches.cancelWaiting(this.#fed));
  }

  async #end(): Promise<void> {
    const { batches, now } = this.#parts;
    const isCancelled = this.#cancelling.signal.aborted;
    if (this.#leaving.signal.aborted) return batches.release(this.#fed, 0);
    if (this.#counts.resting > 0 && !isCancelled) return batches.release(this.#fed, restPauseOf(this.#counts.resting));
    if (!(await batches.finish(this.#fed, isCancelled ? 'cancelled' : 'completed', new Date(now())))) await batches.release(this.#fed, 0);
  }

  /** Those that have been woken since are followed again. */
  async #lookAtResting(): Promise<void> {
    if (this.#counts.resting === 0) return;
    const lines = await this.#parts.batches.openLines(this.#row, ['resting']);
    for (let at = 0; at < lines.length; at += mostRead) {
      const some = lines.slice(at, at + mostRead);
      const records = await Promise.all(some.map(async ({ jobId }) => this.#parts.jobs.read(jobId ?? '')));
      this.#add(some.filter((_, index) => records[index]?.state !== 'resting'));
    }
  }

  #add(lines: Awaited<ReturnType<FedBatches['openLines']>>): void {
    this.#queue.push(...lines.map((line) => ({ ...line, isAgain: true })));
  }

  async #work(): Promise<void> {
    const hand = async (): Promise<void> => {
      for (let line = await this.#next(); line; line = await this.#next()) await this.#do(line);
    };
    const hands = await Promise.allSettled(
      Array.from({ length: mostInHand }, async () => hand().catch((error: unknown) => this.#fail(error))),
    );
    for (const one of hands) if (one.status === 'rejected') throw one.reason;
  }

  /** A fault of a store: nobody goes on. */
  #fail(error: unknown): never {
    this.leave();
    throw error;
  }

  async #next(): Promise<Line | null> {
    for (;;) {
      if (this.#leaving.signal.aborted) return null;
      if (this.#queue.length <= fewLeft) this.#takeMore();
      const line = this.#queue.shift();
      if (line) return line;
      if (!this.#taking) return null;
      await this.#taking;
    }
  }

  /** A fault of the store stays, for whoever waits for lines. */
  #takeMore(): void {
    if (this.#taking || this.#from >= this.#row.total || this.#cancelling.signal.aborted) return;
    this.#taking = this.#take();
    this.#taking.then(
      () => (this.#taking = null),
      () => undefined,
    );
  }

  async #take(): Promise<void> {
    const range = { from: this.#from, to: this.#from + mostTaken, now: new Date(this.#parts.now()) };
    const taken = await this.#parts.batches.take(this.#fed, range);
    const last = taken.at(-1);
    // Those behind the last are too many bytes for now, or do not wait.
    this.#from = last ? last.n + 1 : range.to;
    this.#queue.push(...taken.map((line) => ({ ...line, isAgain: false })));
  }

  async #do(line: Line): Promise<void> {
    const onCalled = (jobId: string): void => {
      line.jobId = jobId;
      this.#note(line, { state: 'called', error: null });
    };
    try {
      const end = await this.#calls.run(line, onCalled);
      if (end) this.#note(line, end);
    } catch (error) {
      if (!(error instanceof MakerEnded)) throw error;
      this.#cancel(error.message);
      await this.#parts.store.cancel(null, this.#row.id, error.message);
      this.#note(line, { state: 'cancelled', error: null });
    }
  }

  #note(line: Line, { state, error }: Omit<LineEnd, 'state'> & Pick<LineChange, 'state'>): void {
    const sealed = error && this.#parts.sealer.sealText(JSON.stringify(error), errorPurpose(this.#row.id, line.n));
    this.#counts = count(count(this.#counts, line.state, -1), state, 1);
    line.state = state;
    this.#changes.set(line.n, { n: line.n, state, job_id: line.jobId, error: sealed });
  }

  #cancel(reason: string | null): void {
    this.#row.reason = reason;
    this.#cancelling.abort();
  }

  async #writeUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await setTimeout(writeEveryMs, undefined, { signal: over, ref: false }).catch(() => undefined);
      if (over.aborted) return;
      const isDue = this.#changes.size > 0 || performance.now() - this.#wroteAt > beatMs;
      // Tried again with the next ones; the batch is another's when that takes too long.
      if (isDue)
        await this.#write().catch((error: unknown) =>
          this.#parts.log.warn(
            { event: 'batch-write-fault', batch_id: this.#row.id, err: error },
            'what has become of calls of a batch could not be written; trying again',
          ),
        );
    }
  }

  async #write(): Promise<void> {
    const changes = this.#changes;
    this.#changes = new Map();
    try {
      const mine = await this.#parts.batches.write(this.#fed, [...changes.values()], this.#counts);
      this.#wroteAt = performance.now();
      if (!mine) this.leave();
      else if (mine.cancelled && !this.#cancelling.signal.aborted) this.#cancel(mine.reason);
    } catch (error) {
      this.#changes = new Map([...changes, ...this.#changes]);
      throw error;
    }
  }
}

/** @param state of lines that are counted; others are those that wait */
function count(counts: BatchCounts, state: string, by: number): BatchCounts {
  const name = state === 'called' ? 'active' : state;
  switch (name) {
    case 'active':
    case 'resting':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return { ...counts, [name]: counts[name] + by };
    default:
      return counts;
  }
}

function restPauseOf(resting: number): number {
  return Math.min(mostRestPauseMs, restPauseMs + resting * 4);
}
