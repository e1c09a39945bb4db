import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Rounds } from '#lib/platform';
import { partitionOfJob, queuedJob, type FlowLines, type CallRecord, type LetGo, type Partition, type SeenCall } from '#lib/transport';
import { Stores } from '../../stores.js';
import { CallFlows } from './call-flows.js';
import { FlowDirectory } from './flow-directory.js';
import { FlowStore } from './flow-store.js';
import { reportingFlows } from './reporting.js';

/** A gateway looks this often at what nobody told it. */
const everyMs = 5_000;
/** Calls that are looked at together, and how often in one look. */
const together = 160;
const mostPages = 50;
/** A call that has a place and no record was accepted by now, or never will be. */
const graceMs = 60_000;
/** Between its place and its record a call may be so slow. */
const recordWaitsMs = [5, 20, 80, 300, 1_000, 3_000] as const;
/** For one that asked longer ago nobody waits. */
const lateMs = 4_000;

/**
 * Lets calls go whose turn it is, and gives up the places of those that are over. The gateways that accepted a call, and that let it go, hear
 * its end and do it then; every other one finds within seconds what a gateway left behind that was killed. Each step may be done twice. Until the first call has to
 * pass a flow, a gateway asks for one key every few seconds, and nothing else.
 */
@Injectable()
export class FlowKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #onFault: (error: unknown) => void;
  readonly #rounds: Rounds;
  /** Calls that somebody waits for, by the name of their flow in Redis, as of the last look. */
  #waiting: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;

  constructor(
    private readonly stores: Stores,
    private readonly flows: CallFlows,
    private readonly directory: FlowDirectory,
    private readonly store: FlowStore,
  ) {
    this.#onFault = reportingFlows(stores.log);
    this.#rounds = new Rounds({ everyMs, round: async () => this.look(), onFault: this.#onFault });
    flows.onLetGo((letGo) => this.#letGo(letGo));
    flows.onSlow((jobId) => this.#quietly(this.#lookAt(jobId)));
    stores.followers.onFlow({
      placesAsked: (jobId) => this.#quietly(this.#lookAt(jobId)),
      begun: (jobId) => {
        if (flows.isFollowed(jobId)) this.#quietly(this.#begun(jobId));
      },
      ended: (jobId) => {
        if (flows.isFollowed(jobId)) this.#quietly(flows.leave(jobId));
      },
    });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#rounds.stop();
  }

  /** How many calls waited in the lines of a flow at the last look, which is seconds ago. */
  waitingIn(flow: string): number {
    return this.#waiting.get(flow) ?? 0;
  }

  /** How many waited by the names of flows: of those with the most, and of all others as `other`. */
  waitingByName(most: number): ReadonlyMap<string, number> {
    const names = new Map(this.directory.all.map(({ id, name }) => [id, name]));
    const sums = new Map<string, number>();
    for (const [id, calls] of [...this.#waiting].toSorted(([, one], [, other]) => other - one)) {
      const known = isOfContract(id) ? 'contract' : names.get(id);
      const name = known !== undefined && (sums.has(known) || sums.size < most) ? known : 'other';
      sums.set(name, (sums.get(name) ?? 0) + calls);
    }
    return sums;
  }

  /** After a change: once it returns, calls wait as it says. Those that need not wait any more go in the background. Rejects when a store is away. */
  async changed(): Promise<void> {
    await this.stores.flowLines.pass();
    const number = await this.store.nextNumber();
    await this.directory.changed();
    await this.#tune(number);
  }

  /** Looks once at all that nobody may have told. Rejects when a store is away. */
  async look(): Promise<void> {
    const { store: calls, keys } = this.stores;
    if (!(await this.stores.flowLines.arePassed())) return;
    if ((await this.stores.flowLines.waiting()).length > 0) {
      const number = await this.store.nextNumber();
      await this.directory.refresh();
      await this.#tune(number);
      // Whoever was told when a rate lets the next one go may be gone.
      await this.#advance();
    } else this.#waiting = new Map();
    await calls.open.alone(keys.soleSweeper('flow'), everyMs / 2, async () => this.sweep());
  }

  /** Looks at calls that were not looked at for a while, and at those that have come out of a rest. */
  async sweep(): Promise<void> {
    const { store: calls, allPartitions } = this.stores;
    const lookAt = async (jobId: string, seen?: SeenCall) => this.#lookAt(jobId, seen).catch(this.#onFault);
    for (const partition of allPartitions) {
      const unplaced = await calls.resting.unplaced(partition, together);
      await Promise.all(unplaced.map(async (jobId) => lookAt(jobId)));
    }
    for (let page = 0; page < mostPages && !this.#rounds.stopping.aborted; page++) {
      const seen = await this.stores.flowLines.patrol(together);
      await Promise.all(seen.map(async (one) => lookAt(one.jobId, one)));
      if (seen.length < together) return;
    }
  }

  /** Gives flows in whose lines calls wait the bounds that they have now. */
  async #tune(number: number): Promise<void> {
    const known = new Map(this.directory.all.map((flow) => [flow.id, flow]));
    const waiting = await this.stores.flowLines.waiting();
    this.#waiting = new Map(waiting.map(({ flow, calls }) => [flow, calls]));
    for (const { flow, number: seen } of waiting) {
      const bounds = known.get(flow)?.bounds ?? { number, concurrency: null, rate: null };
      if (seen !== bounds.number && !isOfContract(flow)) this.#quietly(this.#tuneAll(flow, bounds));
    }
  }

  async #tuneAll(flow: string, bounds: Parameters<FlowLines['tune']>[1]): Promise<void> {
    let cursor = '0';
    do {
      const tuned = await this.stores.flowLines.tune(flow, bounds, cursor);
      this.#letGo(tuned);
      ({ cursor } = tuned);
    } while (cursor !== '0' && !this.#rounds.stopping.aborted);
  }

  #letGo({ granted, due }: LetGo): void {
    if (due !== null) this.#advanceAt(due);
    if (granted.length > 0) this.#quietly(this.#wake(granted));
  }

  /** Wakes calls that have their places. What fails is found by the next look. */
  async #wake(jobIds: readonly string[]): Promise<void> {
    const { store: calls } = this.stores;
    const found = await Promise.all(jobIds.map(async (jobId) => ({ jobId, record: await calls.read(jobId) })));
    for (const { jobId, record } of found) if (!record) this.#quietly(this.#wakeLate(jobId));
    const records = found.flatMap(({ record }) => record ?? []);
    const over = records.filter(({ ending }) => ending);
    await Promise.all(over.map(async ({ jobId }) => this.flows.leave(jobId)));
    const placed = Map.groupBy(
      records.filter(({ rest }) => rest?.reason === 'flow'),
      (record) => (this.#isLate(record) ? 'late' : 'timely'),
    );
    await Promise.all((placed.get('late') ?? []).map(async (record) => this.#passOn(record)));
    for (const [partition, some] of Map.groupBy(placed.get('timely') ?? [], ({ jobId }) => partitionOfJob(jobId))) {
      const woken = await this.#wakePlaced(partition, some);
      for (const [index, record] of some.entries()) if (woken[index] !== 'woken') await this.#wakeAgain(record);
    }
  }

  async #hear(jobId: string): Promise<void> {
    if (this.flows.isFollowed(jobId)) return;
    await this.flows.follow(jobId);
    await this.stores.store.listen(jobId);
  }

  /** One that rested in Postgres meanwhile, or that somebody has ended. */
  async #wakeAgain({ jobId }: CallRecord): Promise<void> {
    await this.stores.store.isBack(jobId);
    await this.#lookAt(jobId);
  }

  /** A call may have its turn before its record is written, and a gateway may die between the two. */
  async #wakeLate(jobId: string): Promise<void> {
    const { turn, ageMs } = await this.stores.flowLines.seen(jobId);
    for (const waitMs of ageMs > lateMs ? [] : recordWaitsMs) {
      await sleep(waitMs, undefined, { ref: false });
      if (await this.stores.store.read(jobId)) return this.#lookAt(jobId);
    }
    // Others wait behind it. Should its gateway only be slow, it asks again as soon as the call is there (`CallFlows.rests`).
    if (turn !== '') await this.flows.leave(jobId, { turn, undoes: true });
  }

  /** @param seen as it stood before its record is read; without it, it is asked for */
  async #lookAt(jobId: string, seen?: SeenCall): Promise<void> {
    const { store: calls } = this.stores;
    const { turn, ageMs } = seen ?? (await this.stores.flowLines.seen(jobId));
    const record = await calls.read(jobId);
    if (record && this.#isLate(record)) return this.#passOn(record);
    if (record?.rest?.reason === 'flow') {
      const waits = await this.flows.enter(record);
      await calls.resting.asked(jobId);
      if (!waits) await this.#wakePlaced(partitionOfJob(jobId), [record]);
      return;
    }
    await calls.resting.asked(jobId);
    // One that rests for something else holds nobody up: it asks again when it comes out of its rest.
    const isOver = record ? record.ending !== null || record.rest !== null : ageMs > graceMs;
    if (turn !== '' && isOver) await this.flows.leave(jobId, { turn });
    else if (record?.state === 'active') await this.#begun(jobId);
  }

  /** It has waited up to its deadline. A worker ends it as soon as it looks, and it must not run before that. */
  #isLate({ rest }: CallRecord): boolean {
    return rest?.reason === 'flow' && rest.until <= this.stores.clock.now();
  }

  async #passOn({ jobId }: CallRecord): Promise<void> {
    await this.flows.leave(jobId, { undoes: true });
  }

  async #begun(jobId: string): Promise<void> {
    this.#letGo(await this.stores.flowLines.begin(jobId));
  }

  /** Wakes calls of a partition that have their places, and hears their ends: the gateways that accepted them may be gone. */
  async #wakePlaced(partition: Partition, records: readonly CallRecord[]) {
    const { store: calls, catalog } = this.stores;
    await Promise.all(records.map(async ({ jobId }) => this.#hear(jobId)));
    const request = (record: CallRecord) => ({
      record,
      job: queuedJob({ ...record, contract: catalog.contractOf(record.head) }),
      isPlaced: true,
    });
    return calls.resting.wake(partition, records.map(request));
  }

  /** @param at epoch ms, by the clock of Redis */
  #advanceAt(at: number): void {
    if (this.#rounds.stopping.aborted || at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#quietly(this.#advance()), Math.max(1, Math.ceil(at - this.stores.clock.now()))).unref();
  }

  async #advance(): Promise<void> {
    this.#dueAt = Infinity;
    this.#letGo(await this.stores.flowLines.advance());
  }

  #quietly(done: Promise<void>): void {
    done.catch(this.#onFault);
  }
}

/** Its bounds come with its calls. */
function isOfContract(flow: string): boolean {
  return flow.includes('/=');
}
