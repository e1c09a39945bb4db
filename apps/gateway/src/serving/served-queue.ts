import type { Redis } from 'ioredis';
import type { CalledTool, ToolContract } from '#lib/contracts';
import type { SucceedingProcess } from '#lib/platform';
import type { Partitions, RedisClient, RedisKeys, ToolQueues } from '#lib/transport';
import type { ExpiringFiles } from '#lib/files';
import { Failure, type Handler, type HandlerContext } from '#lib/handlers';
import { GivenBack, Reaper, ToolServer } from '#lib/worker';
import type { ServedFiles } from './served-files.js';
import type { ServedDirectory } from './served-directory.js';
import { servedProcessor, type ServedProcessorParts } from './served-processor.js';
import { Turns } from './turns.js';
import type { WorkerConnection } from './worker-connection.js';

/** When a job is taken again whose tool workers of another gateway serve, in ms. */
const elsewhereMs = 250;
/** How long an attempt waits here for a free worker, in ms; then it goes back to the queue. */
const waitMs = 2_000;

export interface ServedQueueParts extends ServedProcessorParts {
  readonly name: string;
  readonly directory: ServedDirectory;
  readonly keys: RedisKeys;
  /** Waits for Redis as long as it takes. */
  readonly connection: RedisClient;
  readonly subscriber: Redis;
  readonly files: Pick<ExpiringFiles, 'removeExpired'>;
  readonly partitions: Pick<Partitions, 'all' | 'onGrowth'>;
  readonly queues: ToolQueues;
  readonly drainMs: number;
  /** Attempts of a gateway that has ended are over too: the workers stop what came over its connections. */
  readonly succeeds: SucceedingProcess | null;
  readonly servedFiles: ServedFiles;
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
  readonly #turns = new Turns();
  readonly #processor: ReturnType<typeof servedProcessor>['processor'];
  readonly #server: ToolServer<object>;
  #started: Promise<void> | null = null;

  constructor(parts: ServedQueueParts) {
    const { name, store, partitions, log, now, files, queues } = parts;
    const find = ({ tool, version }: CalledTool) => this.#handler(tool, version);
    const { domain, steps, processor } = servedProcessor(parts, name, find);
    this.#parts = parts;
    this.#processor = processor;
    this.#server = new ToolServer({
      ...parts,
      domain,
      concurrency: 1,
      steps,
      processor,
      registry: { start: async () => undefined, stop: () => undefined },
      reaper: new Reaper({
        partitions: () => partitions.all(name),
        store,
        files,
        queues,
        now,
        log,
        find: (called) => find(called)?.contract,
        ends: processor.ends,
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

  /** Whether no worker is connected to it here. */
  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** A worker has come or gone, or has a free place. */
  async changed(): Promise<void> {
    for (const wake of this.#waiting) wake();
    const size = [...this.#members.values()].reduce((sum, { connection, serves }) => sum + (serves.size > 0 ? connection.size : 0), 0);
    if (size > 0) await (this.#started ??= this.#start());
    if (this.#started) this.#server.resize(size);
  }

  /** Takes no more jobs, and lets those that run end within the drain time. */
  async close(): Promise<void> {
    if (this.#started) await this.#server.close();
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

  /** Runs an attempt on the worker whose turn it is, once one has a free place. */
  async #run(contract: ToolContract, input: unknown, context: HandlerContext<object>): Promise<unknown> {
    const giveBack = (why: string, options: ConstructorParameters<typeof GivenBack>[1]) =>
      this.#processor.giveBack(context.effectKey, new GivenBack(why, options));
    const until = performance.now() + waitMs;
    while (!context.signal.aborted) {
      const serving = this.#serving(contract);
      const next = this.#turns.next(serving);
      if (next) return next.run({ contract, input, context, giveBack, files: this.#parts.servedFiles });
      const leftMs = until - performance.now();
      if (serving.length === 0 || leftMs <= 0) break;
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
