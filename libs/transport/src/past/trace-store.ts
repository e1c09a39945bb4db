import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RedisClient } from '../redis/redis-client.js';
import { callerAttributes, tracePrefix } from '#lib/platform';
import type { RedisKeys } from '../redis/redis-keys.js';
import { appendSpans } from '../scripts/append-spans.js';
import type { SealingKey } from '../record/sealing.js';
import { TraceTenants } from './trace-tenants.js';

const traceLifeMs = 3_600_000;
/** The spans of a tenant are in so many lists, by their trace: few enough that those of many traces are written together. */
export const traceLists = 16;
/** Whose spans are of no tenant. */
const nobody = '';
/** A list is cut when it is longer by this part. */
const slack = 1 / 8;
/**
 * The first of a trace that are shown.
 * @limit storage: spans that a trace shows; further ones are left out
 */
const maxSpans = 500;
/** Newest trace ids of its own that each caller can look up. */
const maxAliases = 1_000;
const derivedShape = /^trace_\d{8}_([0-9a-f]{12})$/;

interface StoredSpan {
  /** W3C. */
  readonly trace_id: string;
  /** Epoch ms. */
  readonly start: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Reader {
  /** The principal, whose own trace ids are known too. */
  readonly who: string;
  /** Whose spans are read; null for those of everybody. */
  readonly tenant: string | null;
}

/** Spans of recent traces, so one call can be looked at without a tracing backend. Each tenant has lists of its own: none pushes out another's. */
export class TraceStore {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #secrets: readonly KeyObject[];
  readonly #tenants: TraceTenants;

  /** @param secrets decide which traces of a tenant share a list: the first when spans are written, all of them when they are read */
  constructor(redis: RedisClient, keys: RedisKeys, secrets: readonly SealingKey[]) {
    this.#redis = redis;
    this.#keys = keys;
    // As bytes they would be made into a key for each use, which takes five times as long as the use.
    this.#secrets = secrets.map(({ key }) => createSecretKey(key));
    this.#tenants = new TraceTenants(redis, keys, traceLifeMs);
  }

  /** Files each span under its tenant and the first 12 hex digits of its W3C trace id. */
  async append(spans: readonly StoredSpan[]): Promise<void> {
    const [secret] = this.#secrets;
    if (!secret) return;
    await this.#tenants.note(new Set(spans.map(tenantOf).filter((tenant) => tenant !== nobody)));
    const buckets = new Map<string, number>();
    const byBucket = Map.groupBy(spans, (span) => {
      const prefix = tracePrefix(span.trace_id);
      const bucket = buckets.get(prefix) ?? bucketOf(prefix, secret);
      buckets.set(prefix, bucket);
      return this.#keys.traces(tenantOf(span), bucket);
    });
    const most = Math.floor(this.#tenants.mostSpans / traceLists);
    const args = { lifeMs: traceLifeMs, most, slack: Math.floor(most * slack) };
    const write = async ([bucket, some]: readonly [string, readonly StoredSpan[]]) =>
      appendSpans.run(this.#redis, { keys: { bucket }, args, moreArgs: some.map((span) => JSON.stringify(span)) });
    await Promise.all([...byBucket].map(write));
  }

  /**
   * Remembers a caller's own trace id for the trace that it was first used in. It is that caller's alone, and never one of our shape,
   * so it hides no trace.
   * @param who the caller's principal
   */
  async alias(who: string, outward: string, prefix: string): Promise<void> {
    if (derivedShape.test(outward)) return;
    const key = this.#keys.traceAliases(who);
    await this.#redis
      .multi()
      .lpush(key, `${prefix} ${outward}`)
      .ltrim(key, 0, maxAliases - 1)
      .pexpire(key, traceLifeMs)
      .exec();
  }

  /**
   * Spans of the last hour as they were stored, empty when the trace is unknown or gone.
   */
  async read(traceId: string, { who, tenant }: Reader): Promise<readonly string[]> {
    const prefix = derivedShape.exec(traceId)?.[1] ?? (await this.#aliased(traceId, who));
    if (!prefix) return [];
    // Some processes may write with another key while the keys are exchanged.
    const lists = [...new Set(this.#secrets.map((secret) => bucketOf(prefix, secret)))];
    const since = Date.now() - traceLifeMs;
    const found: string[] = [];
    // One after the other: an administrator reads those of all tenants, of which few have spans of the trace.
    for (const one of tenant === null ? [nobody, ...(await this.#tenants.all())] : [tenant]) {
      const held = await Promise.all(lists.map(async (list) => this.#redis.lrange(this.#keys.traces(one, list), 0, -1)));
      found.push(...held.flat().filter((text) => text.includes(prefix) && isOf(text, { prefix, since })));
    }
    return found.slice(0, maxSpans);
  }

  /** The newest is the first of the list; the oldest use of an id is the one that counts. */
  async #aliased(outward: string, who: string): Promise<string | undefined> {
    const held = await this.#redis.lrange(this.#keys.traceAliases(who), 0, -1);
    return held.findLast((entry) => entry.endsWith(` ${outward}`))?.split(' ')[0];
  }
}

function tenantOf({ attributes: { [callerAttributes.tenant]: tenant } }: StoredSpan): string {
  return typeof tenant === 'string' ? tenant : nobody;
}

/** By a secret: whoever sends a trace id must not choose which spans it pushes out. */
function bucketOf(prefix: string, secret: KeyObject): number {
  return createHmac('sha256', secret).update('trace\n').update(prefix).digest().readUInt32BE(0) % traceLists;
}

function isOf(text: string, { prefix, since }: { readonly prefix: string; readonly since: number }): boolean {
  const { trace_id, start }: StoredSpan = JSON.parse(text);
  return tracePrefix(trace_id) === prefix && start > since;
}
