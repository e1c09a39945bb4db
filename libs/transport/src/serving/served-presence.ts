import { z } from 'zod';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { jsonIn } from '#lib/contracts';

/** What was not served for so long is forgotten, in ms. */
const forgottenMs = 3_600_000;

/** A version of a tool in the queue of its tenant's domain. */
export interface ServedName {
  readonly queue: string;
  readonly name: string;
  readonly version: string;
}

const connectedDomain = z.object({
  queue: z.string(),
  tenant: z.string(),
  /** The tenant's own name of it. */
  domain: z.string(),
  /** What they serve together, as `name@version`. */
  tools: z.array(z.string()).readonly(),
  /** Workers of one program: with the same key, name and tools. */
  programs: z
    .array(
      z.object({
        key: z.string(),
        name: z.string().nullable(),
        tools: z.array(z.string()).readonly(),
        /** When the latest of them connected, epoch ms. */
        since: z.number(),
        /** They take nothing more: they were asked to stop. */
        isLeaving: z.boolean(),
      }),
    )
    .readonly(),
  /** There are more of them than are told. */
  isCut: z.boolean(),
  /** Some of them, for people who look at them. */
  workers: z
    .array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        key: z.string(),
        since: z.string(),
        concurrency: z.number(),
        running: z.number(),
        tools: z.number(),
      }),
    )
    .readonly(),
  /** How many there are. */
  connected: z.number(),
});

/** What a gateway says of the workers of one domain that are connected to it. */
export type ConnectedDomain = z.output<typeof connectedDomain>;

const said = connectedDomain.extend({ until: z.number() });

/** Which versions of tenants' tools have a worker, over all gateways: each says so of its own workers, and until when it holds. */
export class ServedPresence {
  readonly #redis: RedisClient;
  readonly #tools: string;
  readonly #workers: string;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#tools = keys.servedTools();
    this.#workers = keys.servedWorkers();
  }

  /** @param until epoch milliseconds */
  async announce(served: readonly ServedName[], until: number): Promise<void> {
    if (served.length === 0) return;
    await this.#redis.hset(this.#tools, Object.fromEntries(served.map((one) => [fieldOf(one), until])));
  }

  /** Those that have a worker now, as `fieldOf` names them. @param now epoch milliseconds */
  async present(now: number): Promise<ReadonlySet<string>> {
    const entries = Object.entries(await this.#redis.hgetall(this.#tools));
    const gone = entries.filter(([, until]) => Number(until) < now - forgottenMs).map(([field]) => field);
    if (gone.length > 0) await this.#redis.hdel(this.#tools, ...gone);
    return new Set(entries.filter(([, until]) => Number(until) >= now).map(([field]) => field));
  }

  /** What a gateway says of its workers. @param until epoch milliseconds */
  async tell(gateway: string, domains: readonly ConnectedDomain[], until: number): Promise<void> {
    if (domains.length === 0) return;
    const fields = domains.map((domain) => [`${domain.queue} ${gateway}`, JSON.stringify({ ...domain, until })]);
    await this.#redis.hset(this.#workers, Object.fromEntries(fields));
  }

  /** No worker of this queue is connected to this gateway any more. */
  async untell(gateway: string, queue: string): Promise<void> {
    await this.#redis.hdel(this.#workers, `${queue} ${gateway}`);
  }

  /** What all gateways say. Forgets what none has said again. @param now epoch milliseconds */
  async connected(now: number): Promise<readonly ConnectedDomain[]> {
    const entries = Object.entries(await this.#redis.hgetall(this.#workers)).map(([field, text]) => [field, read(text)] as const);
    const live = entries.flatMap(([, one]) => (one && one.until >= now ? [one] : []));
    const gone = entries.filter(([, one]) => !one || one.until < now - forgottenMs).map(([field]) => field);
    if (gone.length > 0) await this.#redis.hdel(this.#workers, ...gone);
    return live;
  }

  static fieldOf(served: ServedName): string {
    return fieldOf(served);
  }
}

/** Null for what another version of a gateway says. */
function read(text: string): z.output<typeof said> | null {
  return said.safeParse(jsonIn(text)).data ?? null;
}

function fieldOf({ queue, name, version }: ServedName): string {
  return `${queue} ${name}@${version}`;
}
