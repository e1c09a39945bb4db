import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { domains, principal, type Domain, type InvocationEvent } from '#lib/contracts';
import { decode, encode, type CacheEntry, type Ending, type InvocationHead, type RetriesUsed } from './codec.js';
import { domainOfJob, type RedisKeys } from './redis-keys.js';
import { isRefusedByRedis, listOf, type ScriptReply } from './script.js';
import { toAcceptance, type Acceptance, type AcceptRequest } from './acceptance.js';
import { toFinishResult, type FinishResult } from './finish-result.js';
import { recordFields, toRecord, type InvocationRecord } from './invocation-record.js';
import { accept } from './scripts/accept.js';
import { append } from './scripts/append.js';
import { begin } from './scripts/begin.js';
import { claim } from './scripts/claim.js';
import { finish } from './scripts/finish.js';
import type { Sealer } from './sealing.js';

/** How long an ended invocation can be read, and an idempotency key holds: 24 hours. */
export const recordLifeMs = 24 * 3_600_000;
/** Open records outlive their deadline, so that an end always finds its record. */
const openLifeMs = 2 * recordLifeMs;
/** A worker's pause before it retries a write that Redis rejected. */
const refusedMs = 500;
/** Endings up to this size, in bytes, are sent with their notice, which saves the waiter a read. */
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
  /** For workers, which retry writes that Redis rejects (full, read-only). Default false: the caller gets the error. */
  readonly retriesRefusedWrites?: boolean;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Invocations in Redis: the source of truth for every call until 24 hours after its end
 * ([decision 7](../../../docs/decisions/0007-the-invocation-store-is-the-record.md)). Each method is one atomic step.
 */
export class InvocationStore {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #sealer: Sealer;
  /** Part of the name of each write. The client sends a command again when its connection broke before the reply. */
  readonly #writer = randomUUID();
  #writes = 0;
  readonly #retriesRefusedWrites: boolean;
  readonly #now: () => number;

  constructor({ redis, keys, sealer, retriesRefusedWrites = false, now = Date.now }: InvocationStoreParts) {
    this.#redis = redis;
    this.#keys = keys;
    this.#sealer = sealer;
    this.#retriesRefusedWrites = retriesRefusedWrites;
    this.#now = now;
  }

  /** Accepts an invocation, or finds the one that answers it already. */
  async accept(domain: Domain, request: AcceptRequest): Promise<Acceptance> {
    const { jobId, head, idempotencyKey, joinFlight = true } = request;
    const who = principal(head.caller);
    const encoded = encode.head(head);
    // A key that a call has no use for still needs a name in its slot.
    const unused = this.#keys.invocation(jobId);
    const reply = await accept.run(this.#redis, {
      keys: {
        invocation: this.#keys.invocation(jobId),
        events: this.#keys.events(jobId),
        open: this.#keys.open(domain.name),
        openByTenant: this.#keys.openByTenant(domain.name),
        callerJobs: this.#keys.callerJobs(domain.name, who),
        idempotency: idempotencyKey === null ? unused : this.#keys.idempotency(domain.name, [who, head.tool, idempotencyKey]),
        flight: head.flightKey === null ? unused : this.#keys.flight(domain.name, head.flightKey),
        cache: head.cacheKey === null ? unused : this.#keys.cache(domain.name, head.cacheKey),
        cacheTrust: this.#keys.cacheTrust(domain.name),
        rounds: this.#keys.rounds(domain.name),
        prioritized: this.#keys.prioritized(domain.name),
      },
      args: {
        jobId,
        now: head.createdAt,
        deadline: request.deadline,
        head: encoded,
        mac: this.#sealer.sign(jobId + encoded),
        firstEvent: encode.event(request.firstEvent),
        fingerprint: request.fingerprint,
        tenant: head.caller.tenantId,
        caller: who,
        maxOpen: domain.maxOpen,
        maxOfTenant: Math.max(1, Math.floor(domain.maxOpen * domain.tenantShare)),
        openMs: openLifeMs,
        listMs: recordLifeMs,
        hasIdempotencyKey: idempotencyKey !== null,
        idempotencyMs: recordLifeMs,
        joinsFlight: head.flightKey !== null && joinFlight,
        makesFlight: head.flightKey !== null,
        readsCache: request.readCache,
        concurrency: domain.concurrency,
      },
    });
    return toAcceptance(reply, jobId);
  }

  /** Starts a run, which fences off all runs before it. @param now epoch milliseconds */
  async begin(jobId: string, now: number): Promise<BeginResult> {
    const [kind, head, mac, run, startedAt, spent] = listOf(
      await this.#written(() => begin.run(this.#redis, { keys: { invocation: this.#keys.invocation(jobId) }, args: { now } })),
    );
    if (kind === 'ended') return { kind };
    if (typeof head !== 'string' || typeof mac !== 'string' || !this.#sealer.verify(jobId + head, mac)) return { kind: 'unknown' };
    const decoded = decode.head(head);
    if (kind === 'expired') return { kind, head: decoded };
    return { kind: 'run', head: decoded, run: Number(run), startedAt: Number(startedAt), spent: decode.spent(String(spent)) };
  }

  /** False when the invocation has ended or a later run has it: the caller should stop working on it. */
  async progress(jobId: string, run: number, event: Extract<InvocationEvent, { kind: 'progress' }>): Promise<boolean> {
    const { progress, message } = event;
    return this.#append(jobId, run, { events: [event], field: 'progress', value: JSON.stringify({ progress, message }) });
  }

  async retry(
    jobId: string,
    run: number,
    { event, spent }: { readonly event: InvocationEvent; readonly spent: RetriesUsed },
  ): Promise<boolean> {
    return this.#append(jobId, run, { events: [event], field: 'spent', value: encode.spent(spent), state: 'delayed' });
  }

  /** Adds output events of a handler, in one step. False as with `progress`. */
  async output(jobId: string, run: number, data: readonly unknown[]): Promise<boolean> {
    return this.#append(jobId, run, { events: data.map((one) => ({ kind: 'output', data: one })) });
  }

  /** The invocation that runs under a flight key, or null. */
  async inFlight(domain: string, flightKey: string): Promise<string | null> {
    return this.#redis.get(this.#keys.flight(domain, flightKey));
  }

  /** Ends an invocation; the first end holds. Writes the record, the last event, the cache and the notice in one step. */
  async finish(request: FinishRequest): Promise<FinishResult> {
    const { jobId, head, ending, cache } = request;
    const domain = domainOf(jobId);
    // Named before the first try, so that every try has the same name.
    const write = `${this.#writer}:${++this.#writes}`;
    const code = await this.#written(() =>
      finish.run(this.#redis, {
        keys: {
          invocation: this.#keys.invocation(jobId),
          events: this.#keys.events(jobId),
          open: this.#keys.open(domain),
          openByTenant: this.#keys.openByTenant(domain),
          flight: head.flightKey === null ? this.#keys.invocation(jobId) : this.#keys.flight(domain, head.flightKey),
          cache: this.#keys.cache(domain, head.cacheKey ?? ''),
          sealed: this.#keys.sealed(jobId),
        },
        args: {
          jobId,
          now: ending.finishedAt,
          run: request.run ?? '',
          state: ending.state,
          ending: encode.ending(ending),
          tenant: head.caller.tenantId,
          keepMs: recordLifeMs,
          hasFlight: head.flightKey !== null,
          flightWindowMs: request.flightWindowMs ?? 0,
          cacheMs: head.cacheKey !== null && cache ? cache.lifeMs : 0,
          cacheEntry: cache ? encode.cacheEntry(cache.entry) : '',
          notices: this.#keys.notices(domain),
          stops: request.run === null ? this.#keys.stops(domain) : '',
          noticeBytes,
          unlessJoined: request.unlessJoined ?? false,
          sealed: request.sealed?.text ?? '',
          sealedMs: request.sealed?.lifeMs ?? 0,
          write,
        },
      }),
    );
    return toFinishResult(code);
  }

  /** The secrets of an ended invocation, encrypted; null when they were handed out or their time is over. */
  async claim(jobId: string, { once, joinableMs }: { readonly once: boolean; readonly joinableMs: number }): Promise<string | null> {
    const keys = { invocation: this.#keys.invocation(jobId), sealed: this.#keys.sealed(jobId) };
    const text = await claim.run(this.#redis, { keys, args: { once, joinableMs } });
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
      this.#now() - recordLifeMs,
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

  /** How many invocations of a domain are open: waiting, active or delayed. */
  async openCount(domain: string): Promise<number> {
    return this.#redis.zcard(this.#keys.open(domain));
  }

  /** Deletes ended invocations early: their parameters, events, answers and sealed data. */
  async forget(jobIds: readonly string[]): Promise<void> {
    const names = jobIds.map((jobId) => [this.#keys.invocation(jobId), this.#keys.events(jobId), this.#keys.sealed(jobId)]);
    await Promise.all(names.map((keys) => this.#redis.unlink(...keys)));
  }

  /** Forgets an open entry whose record is gone. */
  async forgetOpen(jobId: string): Promise<void> {
    await this.#redis.zrem(this.#keys.open(domainOf(jobId)), jobId);
  }

  /** Runs a write again and again while Redis refuses it, where this store waits for that. */
  async #written(write: () => Promise<ScriptReply>): Promise<ScriptReply> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!this.#retriesRefusedWrites || !isRefusedByRedis(error)) throw error;
        await setTimeout(refusedMs);
      }
    }
  }

  async #append(jobId: string, run: number, { events, field = '', value = '', state = '' }: Appended): Promise<boolean> {
    const write = ++this.#writes;
    const written = await this.#written(() =>
      append.run(this.#redis, {
        keys: { invocation: this.#keys.invocation(jobId), events: this.#keys.events(jobId) },
        args: { jobId, now: this.#now(), run, write, field, value, state, notices: this.#keys.notices(domainOf(jobId)) },
        moreArgs: events.map(encode.event),
      }),
    );
    return written === 1;
  }
}

interface Appended {
  readonly events: readonly InvocationEvent[];
  /** Of the record, to change beside them. */
  readonly field?: string;
  readonly value?: string;
  readonly state?: string;
}

function domainOf(jobId: string): string {
  const domain = domainOfJob(jobId);
  if (!domain) throw new TypeError('Not a job id');
  return domain;
}

function isKnownDomain(domain: string | null): boolean {
  return domain !== null && Object.hasOwn(domains, domain);
}
