import type { Redis } from 'ioredis';
import { domainNamed, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import {
  JoinedSteps,
  SeparateSteps,
  type EventLog,
  type InvocationStore,
  type RedisKeys,
  type Sealer,
  type ServedName,
  type ToolQueues,
  type Partitions,
  partitionOf,
  type RedisClient,
} from '#lib/transport';
import type { ExpiringFiles } from '#lib/files';
import { Failure, type Handler, type HandlerContext } from '#lib/handlers';
import { GivenBack, JobProcessor, Reaper, ToolServer, type CalledTool } from '#lib/worker';
import type { ServedDirectory } from './served-directory.js';
import type { WorkerConnection } from './worker-connection.js';

/** When a job is taken again whose tool workers of another gateway serve, in ms. */
const elsewhereMs = 250;
/** How long an attempt waits here for a free worker, in ms; then it goes back to the queue. */
const waitMs = 2_000;

/** How long no gateway sweeps a queue that was swept, in ms. */
const restMs = 4_000;

export interface ServedQueueParts {
  readonly name: string;
  readonly directory: ServedDirectory;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Waits for Redis as long as it takes. */
  readonly connection: RedisClient;
  readonly subscriber: Redis;
  readonly store: InvocationStore;
  readonly events: EventLog;
  readonly files: Pick<ExpiringFiles, 'removeExpired'>;
  readonly partitions: Pick<Partitions, 'all' | 'onGrowth'>;
  readonly queues: ToolQueues;
  readonly queueBackend: 'invoq' | 'stock';
  readonly drainMs: number;
  readonly showCauses: boolean;
  readonly log: Logger;
}

interface Member {
  readonly connection: WorkerConnection;
  /** What it serves, as `name@version`. */
  readonly serves: ReadonlySet<string>;
}

/**
 * The queue of a tenant's domain, as this gateway serves it by the workers that are connected to it. It is a worker like every other, whose
 * handlers run elsewhere: jobs, retries, fencing, deadlines and the drain are those of `libs/worker`.
 */
export class ServedQueue {
  readonly #parts: ServedQueueParts;
  readonly #members = new Map<WorkerConnection, Member>();
  readonly #waiting = new Set<() => void>();
  readonly #processor: JobProcessor<object>;
  readonly #server: ToolServer<object>;
  #started: Promise<void> | null = null;

  constructor(parts: ServedQueueParts) {
    const { name, store, partitions, events, sealer, log, files, queues, queueBackend, showCauses } = parts;
    const domain = domainNamed(name);
    if (!domain) throw new TypeError(`No domain ${name}`);
    this.#parts = parts;
    const registry = {
      find: ({ tool, version }: CalledTool) => this.#handler(tool, version),
      resolve: async ({ tool, version }: CalledTool) => this.#handler(tool, version),
    };
    const steps = queueBackend === 'stock' ? new SeparateSteps(store) : new JoinedSteps(store, domain);
    this.#processor = new JobProcessor({ store, steps, events, sealer, log, registry, services: {}, domain: name, showCauses });
    this.#server = new ToolServer({
      ...parts,
      domain,
      concurrency: 1,
      steps,
      processor: this.#processor,
      registry: { start: async () => undefined, stop: () => undefined },
      reaper: new Reaper({
        partitions: () => partitions.all(name),
        store,
        files,
        queues,
        log,
        find: (called) => registry.find(called)?.contract,
        expire: (id) => this.#processor.expire(id),
        abandon: (id) => this.#processor.abandon(id),
      }),
    });
  }

  /** @param serves what the worker announced and is approved, as `name@version` */
  async set(connection: WorkerConnection, serves: ReadonlySet<string>): Promise<void> {
    this.#members.set(connection, { connection, serves });
    await this.changed();
  }

  async remove(connection: WorkerConnection): Promise<void> {
    this.#members.delete(connection);
    await this.changed();
  }

  /** What the connected workers serve. */
  get served(): readonly ServedName[] {
    const all = new Set([...this.#members.values()].flatMap(({ connection, serves }) => (connection.size > 0 ? [...serves] : [])));
    return [...all].map((one) => {
      const [name = '', version = ''] = one.split('@');
      return { queue: this.#parts.name, name, version };
    });
  }

  /** A worker has come or gone, or has a free place. */
  async changed(): Promise<void> {
    for (const wake of this.#waiting) wake();
    const size = [...this.#members.values()].reduce((sum, { connection, serves }) => sum + (serves.size > 0 ? connection.size : 0), 0);
    if (size > 0) await (this.#started ??= this.#start());
    if (this.#started) await this.#server.resize(size);
  }

  /**
   * Ends calls that are past their deadline, and those of tools that nobody serves, where no gateway takes jobs of this queue. One gateway
   * does it at a time.
   */
  async sweep(now: number): Promise<void> {
    const { store, name } = this.#parts;
    await store.open.sweepAlone({ partition: partitionOf(name), what: 'unserved', restMs }, async () => this.#sweep(now));
  }

  /** Takes no more jobs, and lets those that run end within the drain time. */
  async close(): Promise<void> {
    if (this.#started) await this.#server.close();
  }

  async #sweep(now: number): Promise<void> {
    const { store, name, directory } = this.#parts;
    for (const jobId of await store.open.until(partitionOf(name), '+inf', { offset: 0, limit: 500 })) {
      const record = await store.read(jobId);
      if (!record || record.deadline <= now) await this.#processor.expire(jobId);
      else if (!directory.isServed({ queue: name, name: record.head.tool, version: record.head.version }))
        await this.#processor.endUnserved(jobId);
    }
  }

  async #start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.listen((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** The handler of a tool that is approved: some worker runs it. */
  #handler(name: string, version: string): Handler<object> | undefined {
    const contract = this.#parts.directory.find({ queue: this.#parts.name, name, version });
    return contract && { contract, run: async (input, context) => this.#run(contract, input, context) };
  }

  /** Runs an attempt on the least busy worker, once one has a free place. */
  async #run(contract: ToolContract, input: unknown, context: HandlerContext<object>): Promise<unknown> {
    const giveBack = (why: string, options: ConstructorParameters<typeof GivenBack>[1]) =>
      this.#processor.giveBack(context.effectKey, new GivenBack(why, options));
    const until = performance.now() + waitMs;
    while (!context.signal.aborted) {
      const best = this.#serving(contract).toSorted((a, b) => b.free - a.free)[0];
      if (best && best.free > 0) return best.run({ contract, input, context, giveBack });
      const leftMs = until - performance.now();
      if (!best || leftMs <= 0) break;
      await this.#woken(leftMs);
    }
    if (!this.#parts.directory.isServed({ queue: this.#parts.name, name: contract.name, version: contract.version }))
      throw new Failure('network', `No worker serves ${contract.name} ${contract.version}`, { retryable: false });
    giveBack('no worker that is connected here has a place for it', { delayMs: elsewhereMs });
    return null;
  }

  #serving({ name, version }: ToolContract): readonly WorkerConnection[] {
    const members = [...this.#members.values()].filter(({ serves }) => serves.has(`${name}@${version}`));
    return members.map(({ connection }) => connection).filter(({ size }) => size > 0);
  }

  async #woken(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
