import { domainNamed, principal, type Decision, type Rest } from '#lib/contracts';
import { toAcceptance, type Acceptance, type AcceptRequest } from './acceptance.js';
import { callOverheadBytes } from './call-bodies.js';
import { encode, isPaced, type CallHead } from './codec.js';
import { mostTogether } from './groups.js';
import type { CallRecord } from './call-record.js';
import { mostResting, recordLifeMs } from '../redis/lives.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOf, partitionOfJob, type Partition } from '../redis/partition.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import type { Sealer } from './sealing.js';
import { commonOpts, type QueuedJob } from './queued-job.js';
import { restEntry } from './rest-entry.js';
import type { Writes } from '../redis/writes.js';
import { restCall } from '../scripts/rest-call.js';
import { wakeCalls } from '../scripts/wake-calls.js';

interface RestingCallsParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Of a tenant in one partition. */
  readonly maxBytes: number;
  /** The process that follows the calls. */
  readonly listener: string;
  readonly writes: Writes;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A new call that rests first. The head is as it is stored, beside its text. */
interface NewRequest extends AcceptRequest {
  readonly rest: NonNullable<AcceptRequest['rest']>;
  readonly encoded: string;
}

/** A call that runs and asks for rest, or that a worker took and must not run. */
export interface RestRequest {
  readonly jobId: string;
  readonly head: CallHead;
  /** Its attempt, and the token of the lock of its job. */
  readonly attempt: number;
  readonly token: string;
  readonly rest: Pick<Rest, 'reason' | 'until' | 'inputRequest' | 'pause'>;
  /** Of the deadline, from the end of the rest, in ms. */
  readonly leftMs: number;
}

/** A call whose rest is over, as the queue will have it. */
export interface WakeRequest {
  readonly record: Pick<CallRecord, 'jobId' | 'head' | 'rest'>;
  readonly job: QueuedJob;
  /** Of the person who wakes it. */
  readonly decision?: Decision;
  /** The call with other parameters. */
  readonly head?: CallHead;
  /** It rests on, for its time: until then, in epoch ms. */
  readonly restsUntil?: number;
  /** It has its places in the flows that it has to pass. Without them it rests on, until somebody has asked for them. */
  readonly isPlaced?: boolean;
}

/** `late`: it rests no more, or rests again: somebody else was first. `unknown`: its record is gone. */
export type Woken = 'woken' | 'late' | 'unknown';

/**
 * Calls at rest. They cost no worker, no place and no timer: a record with its events, and a line in one sorted set of their partition. Two
 * scripts are the way in and the way out; an end is the other way out.
 */
export class RestingCalls {
  readonly #parts: RestingCallsParts;

  constructor(parts: RestingCallsParts) {
    this.#parts = parts;
  }

  /** Accepts a call that rests first. */
  async accept({ rest, ...request }: NewRequest): Promise<Acceptance> {
    const { keys, sealer, listener, maxBytes } = this.#parts;
    const { jobId, head, encoded, idempotencyKey } = request;
    const partition = partitionOfJob(jobId);
    const bytes = callOverheadBytes + Buffer.byteLength(encoded) + (head.body?.bytes ?? 0);
    const asked = { ...rest, since: head.createdAt };
    const start = keys.slot(partition).length;
    const key = idempotencyKey === null ? '' : keys.idempotency(partition, [principal(head.caller), head.tool, idempotencyKey]);
    const reply = await this.#rest(
      { jobId, head, rest: asked, leftMs: request.deadline - head.createdAt, attempt: '', token: '' },
      {
        head: encoded,
        mac: sealer.sign(jobId + encoded),
        fingerprint: request.fingerprint,
        idempotency: key.slice(start),
        listener,
        held: keys.held(partition, head.caller.tenantId).slice(start),
        bytes,
        maxBytes,
      },
    );
    if (reply[0] === 'resting') return { kind: 'resting', jobId, rest: asked, head };
    return toAcceptance(reply, { jobId, head, bytes, maxBytes });
  }

  /** Rests a call that runs. @returns false when a later attempt has it, it has ended, or its job is in other hands: nothing is written then */
  async rest({ rest, ...request }: RestRequest): Promise<boolean> {
    const asked = { ...rest, since: this.#parts.now() };
    const reply = await this.#rest({ ...request, rest: asked }, nothingNew);
    return reply[0] === 'resting';
  }

  /** Ids of those whose rest is over at a time, the earliest first; and when the rest of the next one is, in epoch ms. */
  async due(
    partition: Partition,
    now: number,
    limit: number,
  ): Promise<{ readonly jobIds: readonly string[]; readonly nextAt: number | null }> {
    const flat = await this.#parts.redis.zrange(this.#parts.keys.resting(partition), '0', String(limit), 'WITHSCORES');
    const ends = Array.from({ length: flat.length / 2 }, (_, index) => ({ jobId: flat[index * 2] ?? '', at: Number(flat[index * 2 + 1]) }));
    const due = ends.filter(({ at }) => at <= now).slice(0, limit);
    return { jobIds: due.map(({ jobId }) => jobId), nextAt: ends[due.length]?.at ?? null };
  }

  /** Forgets an entry whose record is gone. */
  async forget(jobId: string): Promise<void> {
    await this.#parts.redis.zrem(this.#parts.keys.resting(partitionOfJob(jobId)), jobId);
  }

  /** Calls that have come out of a rest, and whose places in flows nobody has asked for yet. */
  async unplaced(partition: Partition, limit: number): Promise<readonly string[]> {
    return this.#parts.redis.zrange(this.#parts.keys.unplaced(partition), '0', String(limit - 1));
  }

  /** Somebody has asked for its places. */
  async asked(jobId: string): Promise<void> {
    await this.#parts.redis.zrem(this.#parts.keys.unplaced(partitionOfJob(jobId)), jobId);
  }

  /** How many there are. */
  async count(partition: Partition): Promise<number> {
    return this.#parts.redis.zcard(this.#parts.keys.resting(partition));
  }

  /** Wakes calls of one partition. Each goes back to the queue, in turn, and its deadline begins. @returns what became of each, in their order */
  async wake(partition: Partition, requests: readonly WakeRequest[]): Promise<readonly Woken[]> {
    const woken: Woken[] = [];
    for (let from = 0; from < requests.length; from += mostTogether)
      woken.push(...(await this.#wake(partition, requests.slice(from, from + mostTogether))));
    return woken;
  }

  async #rest(
    {
      jobId,
      head,
      rest,
      leftMs,
      attempt,
      token,
    }: Pick<RestRequest, 'jobId' | 'head' | 'leftMs' | 'token'> & {
      readonly rest: Rest;
      readonly attempt: number | '';
    },
    created: typeof nothingNew,
  ): Promise<readonly ScriptReply[]> {
    const { redis, keys, writes } = this.#parts;
    const partition = partitionOfJob(jobId);
    const who = principal(head.caller);
    const start = keys.slot(partition).length;
    const args = {
      slot: keys.slot(partition),
      notices: keys.notices(domainOf(partition)),
      jobId,
      now: Math.floor(rest.since),
      ends: Math.ceil(rest.until),
      lives: Math.ceil(Math.max(rest.until, head.runAt ?? 0)),
      leftMs: Math.max(0, Math.floor(leftMs)),
      rest: encode.rest(rest),
      event: encode.event({ kind: 'resting', reason: rest.reason, until: rest.until, inputRequest: rest.inputRequest, flow: rest.flow }),
      pause: rest.pause?.id ?? '',
      // A line is a queue, of which nobody is told.
      told: head.hooked && rest.reason !== 'flow' ? restEntry({ jobId, head, rest }) : '',
      paced: isPaced(head),
      passesFlow: head.lines !== undefined,
      write: writes.name(),
      callerJobs: keys.callerJobs(partition, who).slice(start),
      callerResting: keys.callerResting(partition, who).slice(start),
      tenant: head.caller.tenantId,
      flight: head.flightKey === null ? '' : keys.flight(partition, head.flightKey).slice(start),
      attempt,
      token,
      ...created,
      maxResting: mostResting,
    };
    const reply = await writes.run(async () =>
      restCall.run(redis, {
        keys: {
          invocation: keys.invocation(jobId),
          events: keys.events(jobId),
          resting: keys.resting(partition),
          open: keys.open(partition),
          openByTenant: keys.openByTenant(partition),
          outbox: keys.outbox(partition),
          job: keys.job(jobId),
          active: keys.queue(partition, 'active'),
          stalled: keys.queue(partition, 'stalled'),
        },
        args,
      }),
    );
    return listOf(reply);
  }

  #changed({ jobId, head: before }: WakeRequest['record'], head: CallHead | undefined) {
    if (!head) return { head: '', mac: '', moreBytes: 0 };
    const encoded = encode.head(head);
    const hadBytes = Buffer.byteLength(encode.head(before)) + (before.body?.bytes ?? 0);
    return { head: encoded, mac: this.#parts.sealer.sign(jobId + encoded), moreBytes: Buffer.byteLength(encoded) - hadBytes };
  }

  async #wake(partition: Partition, requests: readonly WakeRequest[]): Promise<readonly Woken[]> {
    const { redis, keys, writes, now } = this.#parts;
    const at = Math.floor(now());
    const calls = requests.map(({ record, job, decision, head: changed, ...request }) => {
      const { jobId, head, rest } = record;
      const again = restAgain({ ...request, head: changed ?? head }, at);
      return {
        ...this.#changed(record, changed),
        decision: decision ? encode.decision(decision) : '',
        jobId,
        rest: String(rest?.number ?? 0),
        since: Math.floor(rest?.since ?? 0),
        event: encode.event(
          again ? { kind: 'resting', reason: again.reason, until: again.until } : { kind: 'resumed', reason: rest?.reason ?? 'event' },
        ),
        again: again ? encode.rest(again) : '',
        ends: again?.until ?? 0,
        write: writes.name(),
        tenant: head.caller.tenantId,
        caller: principal(head.caller),
        jobName: job.tool,
        jobData: job.data,
        attempts: String(job.maxAttempts),
        ownPriority: job.priority,
      };
    });
    const queue = (name: string): string => keys.queue(partition, name);
    const domain = domainOf(partition);
    const { replies } = await writes.run(async () =>
      wakeCalls.run(redis, {
        keys: {
          resting: keys.resting(partition),
          unplaced: keys.unplaced(partition),
          open: keys.open(partition),
          openByTenant: keys.openByTenant(partition),
          rounds: keys.rounds(partition),
          wait: queue('wait'),
          prioritized: queue('prioritized'),
          pc: queue('pc'),
          marker: queue('marker'),
        },
        args: {
          slot: keys.slot(partition),
          queuePrefix: queue(''),
          notices: keys.notices(domain),
          concurrency: domainNamed(domain)?.concurrency ?? 1,
          commonOpts,
          now: at,
        },
        calls,
      }),
    );
    return replies.map(wokenIn);
  }
}

/** The rest that follows: for a time, or for places in flows. Those are asked for when the call could run. */
function restAgain(
  { head, restsUntil, isPlaced = false }: Pick<WakeRequest, 'restsUntil' | 'isPlaced'> & { readonly head: CallHead },
  now: number,
): Pick<Rest, 'reason' | 'since' | 'until'> | null {
  if (restsUntil !== undefined) return { reason: 'scheduled', since: now, until: Math.ceil(restsUntil) };
  return head.lines === undefined || isPlaced ? null : { reason: 'flow', since: now, until: now + recordLifeMs };
}

/** Of a call that runs. */
const nothingNew = { head: '', mac: '', fingerprint: '', idempotency: '', listener: '', held: '', bytes: 0, maxBytes: 0 };

/** Throws what Redis said of a call that it refused. */
function wokenIn(reply: ScriptReply | Error): Woken {
  if (reply instanceof Error) throw reply;
  return reply === 'woken' || reply === 'late' ? reply : 'unknown';
}
