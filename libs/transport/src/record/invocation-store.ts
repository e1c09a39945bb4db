import { randomBytes } from 'node:crypto';
import type { RedisClient } from '../redis/redis-client.js';
import type { ExpiringFiles } from '#lib/files';
import type { SucceedingProcess } from '#lib/platform';
import { domainNamed, type Domain, type JobState, type Outcome } from '#lib/contracts';
import { toBeginResult, type BeginResult } from './begin-result.js';
import { AttemptWrites } from './attempt-writes.js';
import { Bodies } from './bodies.js';
import { CallBodies, largeParameterBytes } from './call-bodies.js';
import { CallSteps } from './call-steps.js';
import { encode, type CacheEntry, type Ending, type CallHead } from './codec.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOfJob, partitionOfJob, type Partition } from '../redis/partition.js';
import { Accepting } from './accepting.js';
import type { Acceptance, AcceptRequest } from './acceptance.js';
import type { FinishRequest, FinishResult } from './finish-result.js';
import { endCall, type EndedJob, type ReadyEnd } from './end-call.js';
import { recordLifeMs } from '../redis/lives.js';
import { OpenCalls } from './open-calls.js';
import { MovedCalls } from './moved-calls.js';
import { PausedCalls } from './paused-calls.js';
import { RestingCalls } from './resting-calls.js';
import { recordFields, toRecord, type CallRecord } from './call-record.js';
import { begin } from '../scripts/begin.js';
import { claim } from '../scripts/claim.js';
import { forget } from '../scripts/forget.js';
import { listen } from '../scripts/listen.js';
import type { Sealer } from './sealing.js';
import { TenantBytes, type TenantFull } from './tenant-bytes.js';
import { Turns, type TakenJob, type TurnResult, type TurnTaker, type TurnWish } from './turns.js';
import { Writes } from '../redis/writes.js';

interface InvocationStoreParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** For what is too large for Redis. */
  readonly files: ExpiringFiles;
  /** How many bytes the calls of a tenant may hold in one partition of a domain. Default: any number. */
  readonly maxTenantBytes?: number;
  /** For workers, which retry writes that Redis rejects (full, read-only). Default false: the caller gets the error. */
  readonly retriesRefusedWrites?: boolean;
  /** Epoch milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
  /** What the supervisor of this process has told it. Default: nothing. */
  readonly succeeds?: SucceedingProcess | null;
}

/** Another store, for calls that rest for long. */
interface Elsewhere {
  /** @param isMoved whether Redis says that the call is there. @returns whether it was */
  readonly bringBack: (jobId: string, isMoved: boolean) => Promise<boolean>;
  readonly forget: (jobIds: readonly string[]) => Promise<void>;
}

/**
 * Invocations in Redis: the source of truth for every call until 24 hours after its end
 * ([decision 7](../../../docs/decisions/0007-the-invocation-store-is-the-record.md)). Each method is one atomic step.
 */
export class InvocationStore {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #sealer: Sealer;
  readonly #bodies: CallBodies;
  readonly #tenantBytes: TenantBytes;
  readonly #writes: Writes;
  readonly #accepting: Accepting;
  readonly #turns: Turns;
  /** The calls that this process accepts or follows tell it under this name. */
  readonly listener = `${randomBytes(6).toString('base64url')}++`;
  readonly open: OpenCalls;
  readonly resting: RestingCalls;
  readonly moved: MovedCalls;
  readonly paused: PausedCalls;
  #elsewhere: Elsewhere | null = null;
  readonly steps: CallSteps;
  readonly attempts: AttemptWrites;
  readonly #now: () => number;

  constructor(parts: InvocationStoreParts) {
    const { redis, keys, sealer, files, maxTenantBytes = Number.MAX_SAFE_INTEGER } = parts;
    this.#redis = redis;
    this.#keys = keys;
    this.open = new OpenCalls(redis, keys, parts.succeeds ?? null);
    this.#sealer = sealer;
    this.#bodies = new CallBodies(new Bodies(files, sealer));
    this.#tenantBytes = new TenantBytes(redis, keys, maxTenantBytes);
    this.#writes = new Writes(parts.retriesRefusedWrites ?? false);
    this.#now = parts.now ?? Date.now;
    const accepting = { redis, keys, sealer, maxBytes: maxTenantBytes, listener: this.listener };
    this.#accepting = new Accepting(accepting);
    this.resting = new RestingCalls({ ...accepting, writes: this.#writes, now: this.#now });
    this.paused = new PausedCalls(redis, keys);
    this.moved = new MovedCalls({ redis, keys, sealer, writes: this.#writes, now: this.#now });
    this.steps = new CallSteps({ redis, keys, sealer, writes: this.#writes });
    this.attempts = new AttemptWrites({ redis, keys, writes: this.#writes, now: this.#now });
    this.#turns = new Turns({ redis, keys, sealer, now: this.#now });
  }

  /** Accepts an invocation, or finds the one that answers it already. Throws FileStoreError before anything is accepted. */
  async accept(domain: Domain, request: AcceptRequest): Promise<Acceptance> {
    const { jobId, idempotencyKey } = request;
    const encoded = encode.head(request.head);
    const largeBytes = largeParameterBytes(request.head, encoded);
    // A key may find an earlier call, which needs no bytes.
    const asksFirst = largeBytes > 0 && idempotencyKey === null;
    const refused =
      asksFirst &&
      (await this.#tenantBytes.refusal(
        partitionOfJob(jobId),
        { tenantId: request.head.caller.tenantId, now: request.head.createdAt },
        largeBytes,
      ));
    if (refused) return refused;
    const { rest } = request;
    const neededFrom = rest?.until ?? request.head.createdAt;
    const head = largeBytes > 0 ? await this.#bodies.storedHead(jobId, request.head, neededFrom) : request.head;
    const asked = { ...request, head, encoded: largeBytes > 0 ? encode.head(head) : encoded };
    const accepted = rest ? await this.resting.accept({ ...asked, rest }) : await this.#accepting.accept(domain, asked);
    if (accepted.kind !== 'created' && accepted.kind !== 'resting') await this.#bodies.dropParameters(head);
    return accepted;
  }

  /** The parameters of a call, which may be in the file store. Throws FileStoreError. */
  async parametersOf(head: CallHead): Promise<CallHead['input']> {
    return this.#bodies.parametersOf(head);
  }

  /** The outcome of an ended call or a cached answer, which may be in the file store. Secrets stay sealed. Throws FileStoreError. */
  async outcomeOf(stored: Pick<CacheEntry, 'outcome' | 'body'>): Promise<Outcome> {
    return this.#bodies.outcomeOf(stored);
  }

  /**
   * Starts an attempt, which fences off all attempts before it; not that of a call that is paused.
   * @param now epoch milliseconds
   * @param pauses of its partition, as `Taken` has them
   */
  async begin(jobId: string, now: number, pauses = ''): Promise<BeginResult> {
    const keys = { invocation: this.#keys.invocation(jobId) };
    const args = { jobId, notices: this.#keys.notices(domainOfJob(jobId) ?? ''), now, pauses };
    return toBeginResult(jobId, await this.#writes.run(() => begin.run(this.#redis, { keys, args })), this.#sealer);
  }

  /** The invocation that runs under a flight key, or null. */
  async inFlight(partition: Partition, flightKey: string): Promise<string | null> {
    return this.#redis.get(this.#keys.flight(partition, flightKey));
  }

  /** Ends an invocation; the first end holds. Writes the record, the last event, the cache and the notice in one step. */
  async finish(request: FinishRequest): Promise<FinishResult> {
    const ready = await this.readyEnd(request);
    if (!ready) return 'ended-before';
    const finished = await this.#writes.run(() => this.#turns.end(partitionOfJob(request.jobId), ready));
    await this.#dropBodies(ready, finished);
    return finished;
  }

  /**
   * Prepares an end: what of it is too large for Redis is a file afterwards.
   * @returns null when somebody else has ended the call meanwhile
   */
  async readyEnd(request: FinishRequest): Promise<ReadyEnd | null> {
    const hasEnded = async () => Boolean((await this.read(request.jobId))?.ending);
    const stored = await this.#bodies.storedEnd(request, this.#writes.retriesRefused ? hasEnded : null);
    return stored && { request, stored, call: endCall(this.#keys, request, { stored, write: this.#writes.name() }) };
  }

  /** Lets this process hear of what happens to a call from now on. */
  async listen(jobId: string): Promise<void> {
    await listen.run(this.#redis, { keys: { invocation: this.#keys.invocation(jobId) }, args: { listener: this.listener } });
  }

  /** The jobs in a message on the channel `handed` of a worker. */
  handed(message: string): readonly TakenJob[] {
    return this.#turns.handed(message);
  }

  /** One turn of a worker: calls end, their jobs complete, and up to `want` further jobs are taken, in one step. */
  async turn(partition: Partition, ends: readonly EndedJob[], taker: TurnTaker & TurnWish): Promise<TurnResult> {
    const turn = await this.#writes.run(() => this.#turns.take(partition, ends, taker));
    await Promise.all(
      ends.map(async ({ ready }, index) => {
        const finished = turn.finished[index];
        if (typeof finished === 'string') await this.#dropBodies(ready, finished);
      }),
    );
    return turn;
  }

  async #dropBodies({ request, stored }: ReadyEnd, finished: FinishResult): Promise<void> {
    if (finished === 'ended') await this.#bodies.dropParameters(request.head);
    else await this.#bodies.dropEnd(stored);
  }

  /** The secrets of an ended invocation, encrypted; null when they were handed out or their time is over. Throws FileStoreError. */
  async claim(jobId: string, { once, joinableMs, secrets }: ClaimTerms): Promise<string | null> {
    // Read first: a claim may be the last one.
    const large = await this.#bodies.secretsOf({ secrets });
    const keys = { invocation: this.#keys.invocation(jobId), sealed: this.#keys.sealed(jobId) };
    const text = await claim.run(this.#redis, { keys, args: { once, joinableMs } });
    return typeof text === 'string' ? (large ?? text) : null;
  }

  /** The record, or null when there is none (any more) or its life is over. */
  async read(jobId: string): Promise<CallRecord | null> {
    const record = await this.peek(jobId);
    if ((record && !record.isMoved) || !this.#elsewhere || !isKnownDomain(domainOfJob(jobId))) return record;
    return (await this.#elsewhere.bringBack(jobId, record !== null)) ? this.peek(jobId) : record;
  }

  /** The same for lists: a call that has moved stays where it is, and one that Redis has forgotten is not looked for. */
  async peek(jobId: string): Promise<CallRecord | null> {
    if (!isKnownDomain(domainOfJob(jobId))) return null;
    return toRecord(jobId, await this.#redis.hmget(this.#keys.invocation(jobId), ...recordFields));
  }

  /** Brings a call back that has moved since it was read, or that Redis has forgotten. @returns false for one that was there all the time */
  async isBack(jobId: string): Promise<boolean> {
    const found = await this.peek(jobId);
    return (!found || found.isMoved) && (await this.read(jobId)) !== null;
  }

  /** From now on whoever reads a call that has moved, or that Redis has forgotten, has it brought back. */
  keptElsewhere(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
  }

  /** Whether an invocation has ended, and the place of its last event so far, which only an open one must tell. Null when there is no record. */
  async readPlace(jobId: string): Promise<{ readonly isEnded: boolean; readonly seq: number } | null> {
    const [state, seq] = await this.#redis.hmget(this.#keys.invocation(jobId), 'state', 'seq');
    return state ? { isEnded: ['completed', 'failed', 'cancelled'].includes(state), seq: Number(seq) } : null;
  }

  /** Why a tenant has no room for so many bytes beside a call of its own; null where it has. */
  async roomFor(jobId: string, tenantId: string, bytes: number): Promise<TenantFull | null> {
    return this.#tenantBytes.refusal(partitionOfJob(jobId), { tenantId, now: this.#now() }, bytes);
  }

  /** What a job is a call of, and its state, without its output. Null when there is no record. */
  async readLabel(jobId: string): Promise<{ readonly tool: string; readonly state: JobState } | null> {
    const label = toRecord(jobId, await this.#redis.hmget(this.#keys.invocation(jobId), 'head', 'state'));
    return label && { tool: label.head.tool, state: label.state };
  }

  /** The caller's jobs of one partition that were accepted, or went to rest, or were woken before a time, newest first, with that time in ms. */
  async jobsOf(
    partition: Partition,
    who: string,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): Promise<readonly { readonly jobId: string; readonly createdAt: number }[]> {
    const since = this.#now() - recordLifeMs;
    // Those at rest are older than a day as often as not.
    const lists = [
      [this.#keys.callerJobs(partition, who), since],
      [this.#keys.callerResting(partition, who), '-inf'],
    ] as const;
    const found = await Promise.all(
      lists.map(async ([key, from]) => this.#redis.zrevrangebyscore(key, before, from, 'WITHSCORES', 'LIMIT', 0, limit)),
    );
    return found
      .flatMap((flat) =>
        Array.from({ length: flat.length / 2 }, (_, index) => ({ jobId: flat[index * 2] ?? '', createdAt: Number(flat[index * 2 + 1]) })),
      )
      .toSorted((a, b) => b.createdAt - a.createdAt)
      .slice(0, limit);
  }

  /** Deletes ended invocations early: their parameters, events, answers and sealed data. */
  async forget(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length > 0) await this.#elsewhere?.forget(jobIds);
    await Promise.all(jobIds.map(async (jobId) => this.#forget(jobId)));
  }

  async #forget(jobId: string): Promise<void> {
    const record = await this.peek(jobId);
    const [invocation, events] = [this.#keys.invocation(jobId), this.#keys.events(jobId)];
    const keys = { invocation, events, sealed: this.#keys.sealed(jobId), steps: this.#keys.steps(jobId) };
    await forget.run(this.#redis, { keys, args: {} });
    await Promise.all([this.#bodies.dropParameters(record?.head), this.#bodies.dropEnd({ ending: record?.ending ?? null })]);
  }

  /** Counts that a job was lost with its worker, where the queue counts it too. @returns how often it was */
  async countStall(jobId: string): Promise<number> {
    return this.#redis.hincrby(this.#keys.job(jobId), 'stc', 1);
  }
}

interface ClaimTerms extends Pick<Ending, 'secrets'> {
  /** Each call may have them one single time. */
  readonly once: boolean;
  /** How long further calls may still join. */
  readonly joinableMs: number;
}

function isKnownDomain(domain: string | null): boolean {
  return domain !== null && domainNamed(domain) !== undefined;
}
