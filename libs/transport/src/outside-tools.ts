import type { Redis } from 'ioredis';
import {
  fingerprint,
  outsideContract,
  OutsideToolError,
  outsideServer,
  type Catalog,
  type OutsideServer,
  type ToolContract,
  withRetryBase,
} from '#lib/contracts';
import type { RedisKeys } from './redis-keys.js';

/** A change is told by a notice; this finds one whose notice was lost. */
const recheckMs = 15_000;

interface OutsideToolsParts {
  readonly keys: RedisKeys;
  readonly subscriber: Redis;
  /** All approved servers, as they are stored. */
  readonly load: () => Promise<readonly unknown[]>;
  /** What gets the tools. */
  readonly catalog: Catalog;
  /** Before the first retry of a call, in ms. */
  readonly retryBaseMs: number;
  readonly onFault: (error: unknown) => void;
}

/**
 * Keeps the outside part of a catalog as it is stored, in every process alike. While the store is away the last known
 * tools are served.
 */
export class OutsideTools {
  readonly #parts: OutsideToolsParts;
  readonly #listeners = new Set<() => void>();
  #servers: readonly OutsideServer[] = [];
  #known = fingerprint([]);
  #isRead = false;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: OutsideToolsParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const channel = this.#parts.keys.outsideChanges();
    this.#parts.subscriber.on('message', (from) => {
      if (from === channel) void this.refresh();
    });
    await this.#parts.subscriber.subscribe(channel);
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), recheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether the store has been read. Before, no outside tool is known here. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Told after each change of the catalog. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  server(name: string): OutsideServer | undefined {
    return this.#servers.find((server) => server.name === name);
  }

  /** Reads the store now. One read serves all who ask while it has not begun. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const servers = (await this.#parts.load()).map((row) => outsideServer.parse(row));
      const print = fingerprint(servers);
      const isChanged = print !== this.#known;
      if (isChanged) this.#parts.catalog.replaceOutside(servers.flatMap((server) => this.#contractsOf(server)));
      this.#servers = servers;
      this.#known = print;
      this.#isRead = true;
      if (!isChanged) return;
    } catch (error) {
      return this.#parts.onFault(error);
    }
    for (const listener of this.#listeners) listener();
  }

  /** What was approved by another version may be no contract to this one. */
  #contractsOf(server: OutsideServer): ToolContract[] {
    return server.tools.flatMap((tool) => {
      try {
        return [withRetryBase(outsideContract(server, tool), this.#parts.retryBaseMs)];
      } catch (error) {
        if (!(error instanceof OutsideToolError)) throw error;
        this.#parts.onFault(error);
        return [];
      }
    });
  }
}
