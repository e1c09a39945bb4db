import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { domains, principal, type Domain, type InvocationEvent } from '#lib/contracts';
import { decode, encode, type CacheEntry, type Ending, type InvocationHead, type RetriesUsed } from './codec.js';
import { domainOfJob, type RedisKeys } from './redis-keys.js';
import { isRefusedByRedis, listOf, type Script, type ScriptReply } from './script.js';
import { toAcceptance, type Acceptance, type AcceptRequest } from './acceptance.js';
import { toFinishResult, type FinishResult } from './finish-result.js';
import { recordFields, toRecord, type InvocationRecord } from './invocation-record.js';
import { accept } from './scripts/accept.js';
import { append } from './scripts/append.js';
import { begin } from './scripts/begin.js';
import { claim } from './scripts/claim.js';
import { finish } from './scripts/finish.js';
import { output } from './scripts/output.js';
import type { Sealer } from './sealing.js';

/** How long an ended invocation can be asked for, and an idempotency key is remembered. */
export const recordLifeMs = 24 * 3_600_000;
/** Open ones outlive their own deadline, so an end is never written to a record that is gone. */
const openLifeMs = 2 * recordLifeMs;
/** A worker's pause before it asks a Redis again that takes no writes. */
const refusedMs = 500;
/** Endings up to this size travel with their notice and save the waiter a read. */
const noticeBytes = 8_192;

export type BeginResult =
  | { readonly kind: 'run'; readonly head: InvocationHead; readonly run: number; readonly startedAt: number; readonly spent: RetriesUsed }
  | { readonly kind: 'expired'; readonly head: InvocationHead }
  | { readonly kind: 'ended' }
  /** No such record, or one that nobody with our keys wrote. */
  | { readonly kind: 'unknown' };

export interface FinishRequest {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly ending: Ending;
  /** The run that ends it; null ends it whoever runs it, and tells that worker to stop. */
  readonly run: number | null;
  readonly cache?: { readonly lifeMs: number; readonly entry: CacheEntry } | undefined;
  readonly flightWindowMs?: number | undefined;
  /** The secrets of the outcome, encrypted, and how long they can be had. */
  readonly sealed?: { readonly text: string; readonly lifeMs: number } | undefined;
  /** Leaves the invocation alone when another caller has joined it. */
  readonly unlessJoined?: boolean;
}

interface InvocationStoreParts {
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** For workers: what a run has to say waits until Redis takes it, as it does while Redis is away. Default false. */
  readonly retriesRefusedWrites?: boolean;
}

/** Invocations in Redis: the record of truth for everything in flight. Each method is one atomic step. */
export class InvocationStore {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #sealer: Sealer;
  /** Writes have names: the client sends a command again when its connection broke before the reply. */
  readonly #writer = randomUUID();
  #writes = 0;
  readonly #retriesRefusedWrites: boolean;

  constructor({ redis, keys, sealer, retriesRefusedWrites = false }: InvocationStoreParts) {
    this.#redis = redis;
    this.#keys = keys;
    this.#sealer = sealer;
    this.#retriesRefusedWrites = retriesRefusedWrites;
  }

  async accept(domain: Domain, request: AcceptRequest): Promise<Acceptance> {
    const { jobId, head } = request;
    const who = principal(head.caller);
    const encoded = encode.head(head);
    // RedisKeys that a call has no use for still need a name in its slot.
    const unused = this.#keys.invocation(jobId);
    const reply = await accept.run(
      this.#redis,
      [
        this.#keys.invocation(jobId),
        this.#keys.events(jobId),
        this.#keys.open(domain.name),
        this.#keys.openByTenant(domain.name),
        this.#keys.callerJobs(domain.name, who),
        request.idempotencyKey === null ? unused : this.#keys.idempotency(domain.name, [who, head.tool, request.idempotencyKey]),
        head.flightKey === null ? unused : this.#keys.flight(domain.name, head.flightKey),
        head.cacheKey === null ? unused : this.#keys.cache(domain.name, head.cacheKey),
        this.#keys.cacheTrust(domain.name),
        this.#keys.rounds(domain.name),
        this.#keys.prioritized(domain.name),
      ],
      [
        jobId,
        head.createdAt,
        request.deadline,
        encoded,
        this.#sealer.sign(jobId + encoded),
        encode.event(request.firstEvent),
        request.fingerprint,
        head.caller.tenantId,
        domain.maxOpen,
        Math.max(1, Math.floor(domain.maxOpen * domain.tenantShare)),
        openLifeMs,
        recordLifeMs,
        request.idempotencyKey === null ? 0 : 1,
        head.flightKey === null ? 0 : request.joinFlight === false ? 2 : 1,
        request.readCache ? 1 : 0,
        recordLifeMs,
        domain.concurrency,
        who,
      ],
    );
    return toAcceptance(reply, jobId);
  }

  async begin(jobId: string, now: number): Promise<BeginResult> {
    const [kind, head, mac, run, startedAt, spent] = listOf(await this.#run(begin, [this.#keys.invocation(jobId)], [now]));
    if (kind === 'ended') return { kind };
    if (typeof head !== 'string' || typeof mac !== 'string' || !this.#sealer.verify(jobId + head, mac)) return { kind: 'unknown' };
    const decoded = decode.head(head);
    if (kind === 'expired') return { kind, head: decoded };
    return { kind: 'run', head: decoded, run: Number(run), startedAt: Number(startedAt), spent: decode.spent(String(spent)) };
  }

  /** False when the invocation has ended or a later run has it: the caller should stop working on it. */
  async progress(jobId: string, run: number, event: Extract<InvocationEvent, { kind: 'progress' }>): Promise<boolean> {
    const { progress, message } = event;
    return this.#append(jobId, run, { event, field: 'progress', value: JSON.stringify({ progress, message }), state: '' });
  }

  async retry(
    jobId: string,
    run: number,
    { event, spent }: { readonly event: InvocationEvent; readonly spent: RetriesUsed },
  ): Promise<boolean> {
    return this.#append(jobId, run, { event, field: 'spent', value: encode.spent(spent), state: 'delayed' });
  }

  /** What a handler tells its followers, in one step. False as with `progress`. */
  async output(jobId: string, run: number, data: readonly unknown[]): Promise<boolean> {
    const written = await this.#run(
      output,
      [this.#keys.invocation(jobId), this.#keys.events(jobId)],
      [
        jobId,
        Date.now(),
        run,
        this.#keys.notices(domainOf(jobId)),
        ++this.#writes,
        ...data.map((one) => encode.event({ kind: 'output', data: one })),
      ],
    );
    return written === 1;
  }

  /** The invocation that runs under a flight key, or null. */
  async inFlight(domain: string, flightKey: string): Promise<string | null> {
    return this.#redis.get(this.#keys.flight(domain, flightKey));
  }

  async finish(request: FinishRequest): Promise<FinishResult> {
    const { jobId, head, ending, cache } = request;
    const domain = domainOf(jobId);
    const code = await this.#run(
      finish,
      [
        this.#keys.invocation(jobId),
        this.#keys.events(jobId),
        this.#keys.open(domain),
        this.#keys.openByTenant(domain),
        head.flightKey === null ? this.#keys.invocation(jobId) : this.#keys.flight(domain, head.flightKey),
        this.#keys.cache(domain, head.cacheKey ?? ''),
        this.#keys.sealed(jobId),
      ],
      [
        jobId,
        ending.finishedAt,
        request.run ?? '',
        ending.state,
        encode.ending(ending),
        head.caller.tenantId,
        recordLifeMs,
        request.flightWindowMs ?? 0,
        head.cacheKey !== null && cache ? cache.lifeMs : 0,
        cache ? encode.cacheEntry(cache.entry) : '',
        this.#keys.notices(domain),
        request.run === null ? this.#keys.stops(domain) : '',
        noticeBytes,
        request.unlessJoined ? 1 : 0,
        request.sealed?.text ?? '',
        request.sealed?.lifeMs ?? 0,
        `${this.#writer}:${++this.#writes}`,
      ],
    );
    return toFinishResult(code);
  }

  /** The secrets of an ended invocation, encrypted; null when they were handed out or their time is over. */
  async claim(jobId: string, { once, joinableMs }: { readonly once: boolean; readonly joinableMs: number }): Promise<string | null> {
    const text = await claim.run(this.#redis, [this.#keys.invocation(jobId), this.#keys.sealed(jobId)], [once ? 1 : 0, joinableMs]);
    return typeof text === 'string' ? text : null;
  }

  /** The record, or null when there is none (any more) or its life is over. */
  async read(jobId: string): Promise<InvocationRecord | null> {
    if (!isKnownDomain(domainOfJob(jobId))) return null;
    return toRecord(jobId, await this.#redis.hmget(this.#keys.invocation(jobId), ...recordFields));
  }

  /** The caller's jobs of one domain that were accepted before a time, newest first, with that time in ms. */
  async jobsOf(
    domain: string,
    who: string,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): Promise<readonly { readonly jobId: string; readonly createdAt: number }[]> {
    const flat = await this.#redis.zrevrangebyscore(
      this.#keys.callerJobs(domain, who),
      before,
      Date.now() - recordLifeMs,
      'WITHSCORES',
      'LIMIT',
      0,
      limit,
    );
    return Array.from({ length: flat.length / 2 }, (_, index) => ({
      jobId: flat[index * 2] ?? '',
      createdAt: Number(flat[index * 2 + 1]),
    }));
  }

  /** Ids of open invocations whose deadline is at or before `until`, earliest first. */
  async openUntil(
    domain: string,
    until: number | '+inf',
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly string[]> {
    return this.#redis.zrangebyscore(this.#keys.open(domain), '-inf', until, 'LIMIT', offset, limit);
  }

  async openCount(domain: string): Promise<number> {
    return this.#redis.zcard(this.#keys.open(domain));
  }

  /** Deletes ended invocations before their time: what was asked, what was told, what was answered. */
  async forget(jobIds: readonly string[]): Promise<void> {
    const names = jobIds.map((jobId) => [this.#keys.invocation(jobId), this.#keys.events(jobId), this.#keys.sealed(jobId)]);
    await Promise.all(names.map((keys) => this.#redis.unlink(...keys)));
  }

  /** Forgets an open entry whose record is gone. */
  async forgetOpen(jobId: string): Promise<void> {
    await this.#redis.zrem(this.#keys.open(domainOf(jobId)), jobId);
  }

  async #run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<ScriptReply> {
    for (;;) {
      try {
        return await script.run(this.#redis, keys, args);
      } catch (error) {
        if (!this.#retriesRefusedWrites || !isRefusedByRedis(error)) throw error;
        await setTimeout(refusedMs);
      }
    }
  }

  async #append(
    jobId: string,
    run: number,
    entry: { event: InvocationEvent; field: string; value: string; state: string },
  ): Promise<boolean> {
    const written = await this.#run(
      append,
      [this.#keys.invocation(jobId), this.#keys.events(jobId)],
      [
        jobId,
        Date.now(),
        run,
        encode.event(entry.event),
        entry.field,
        entry.value,
        entry.state,
        this.#keys.notices(domainOf(jobId)),
        ++this.#writes,
      ],
    );
    return written === 1;
  }
}

function domainOf(jobId: string): string {
  const domain = domainOfJob(jobId);
  if (!domain) throw new TypeError('Not a job id');
  return domain;
}

function isKnownDomain(domain: string | null): boolean {
  return domain !== null && Object.hasOwn(domains, domain);
}
