import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  Refusal,
  servedDomainName,
  workerMessages,
  type Caller,
  type ServedPlace,
  type WorkerConnectionRequest,
  type WorkerMessage,
} from '#lib/contracts';
import { onceASecond, type Database, type Logger } from '#lib/platform';
import type { RedisKeys, RedisClient } from '#lib/transport';
import type { Redis } from 'ioredis';
import { EventStream } from '../http/event-stream.js';
import { takeOver } from '../http/take-over.js';
import type { Announcements } from './announcements.js';
import { heartbeatMs, silenceMs } from './messages.js';
import { connectedDomains } from './connected-domains.js';
import type { ServedDirectory } from './served-directory.js';
import { ServedQueue, type ServedQueueParts } from './served-queue.js';
import type { UnservedCalls } from './unserved-calls.js';
import { announcedIn, refuseNothing, verdictOf } from './verdict.js';
import { WorkerConnection, type Received } from './worker-connection.js';
import { mayApprove } from './worker-key.js';

/** @limit own tools: bytes that a worker leaves unread; it is disconnected */
const maxUnreadBytes = 16 * 1024 * 1024;
/** How long a queue stays open after its last worker has left. Its attempts have ended long before. */
const idleMs = 2 * 60_000;
const idShape = /^wrk_([0-9a-f]{16})_[0-9a-f]{32}$/;

/** What a gateway passes on to the one that a worker is connected to. */
const passedOn = workerMessages.extend({ id: z.string(), credentialId: z.string(), tenantId: z.string() });

interface ServingHubParts {
  readonly database: Pick<Database, '$queryRaw'>;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly directory: ServedDirectory;
  readonly redis: RedisClient;
  readonly subscriber: Redis;
  readonly keys: RedisKeys;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
  readonly log: Logger;
  /** What every queue is made of. */
  readonly queue: Omit<ServedQueueParts, 'name'>;
  readonly unserved: Pick<UnservedCalls, 'sweep'>;
  /** At this gateway. */
  readonly maxWorkersOfKey: number;
}

/** A worker that is connected, and what it announced: contracts by `name@version`. */
interface Member {
  readonly connection: WorkerConnection;
  readonly place: ServedPlace;
  readonly credentialId: string;
  readonly announced: ReadonlyMap<string, string>;
  readonly name: string | null;
  readonly since: string;
  /** What of it may be called, as `name@version`. */
  serves: ReadonlySet<string>;
}

/** The workers of tenants that are connected to this gateway, and the queues that it serves by them. */
export class ServingHub {
  readonly #parts: ServingHubParts;
  readonly #gatewayId = randomBytes(8).toString('hex');
  readonly #members = new Map<string, Member>();
  readonly #queues = new Map<string, ServedQueue>();
  /** Since when no worker is connected to a queue here, by a clock that nobody sets. */
  readonly #emptySince = new Map<string, number>();
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastBeat = performance.now();
  #isStopping = false;

  constructor(parts: ServingHubParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) => parts.log.warn({ event: 'serving-fault', err: error }, 'a part of serving has failed'));
  }

  /** Does not wait for Redis. */
  start(): void {
    const { subscriber, keys, directory } = this.#parts;
    // One for each queue.
    subscriber.setMaxListeners(0);
    const channel = keys.workerMessages(this.#gatewayId);
    subscriber.on('message', (from, text) => {
      if (from === channel) void this.#receivePassedOn(text).catch(this.#report);
    });
    subscriber.subscribe(channel).catch(this.#report);
    directory.onChange((tenants) => void this.#reviewThoseOf(tenants).catch(this.#report));
    this.#timer = setInterval(() => void this.beat().catch(this.#report), heartbeatMs).unref();
  }

  /** Workers go to other gateways; what they run here ends within the drain time, or goes back to its queue. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { connection } of this.#members.values()) connection.say('drain', {});
    // The others are drained too where one cannot be.
    await Promise.all([...this.#queues.values()].map((queue) => queue.close().catch(this.#report)));
    clearInterval(this.#timer);
    for (const { connection } of this.#members.values()) connection.close();
    this.#parts.queue.connection.disconnect();
  }

  /** Lets a worker in: checks what it announces, and opens its stream. Throws a Refusal before that. */
  async connect(caller: Caller, request: WorkerConnectionRequest, reply: FastifyReply): Promise<void> {
    const { database, announcements, directory, log } = this.#parts;
    const { tenantId: tenant, credentialId } = caller;
    const place = { tenant, domain: request.domain };
    this.#checkRoom(credentialId);
    const approves = await mayApprove(database, caller, request);
    const judged = await announcements.announce({ place, keyId: credentialId, approves }, request.tools);
    refuseNothing(judged);
    const announced = announcedIn(judged);
    const queueName = servedDomainName(place);
    // What this gateway does not know yet.
    const isNew = judged.some(
      ({ state, name, version, fingerprint }) =>
        state === 'approved' && !directory.isApprovedAs({ queue: queueName, name, version }, fingerprint),
    );
    if (isNew) await directory.changed();
    if (reply.raw.closed) return;
    // It may have begun to stop, and others of the key may have come, meanwhile.
    this.#checkRoom(credentialId);
    const id = `wrk_${this.#gatewayId}_${randomBytes(16).toString('hex')}`;
    const { metrics } = this.#parts.queue.reports;
    const stream = new EventStream(takeOver(reply, EventStream.headers), {
      metrics,
      onSent: () => undefined,
      onEnd: () => undefined,
      maxUnreadBytes,
    });
    const onFree = (): void => void this.#queues.get(queueName)?.changed().catch(this.#report);
    const onDrain = (): void => void this.#tell(queueName).catch(this.#report);
    const { concurrency, name = null } = request;
    const connection = new WorkerConnection({ id, credentialId, tenantId: tenant, concurrency, stream, onFree, onDrain });
    const since = new Date(this.#parts.now()).toISOString();
    const member: Member = { connection, place, credentialId, announced, name, since, serves: new Set() };
    this.#members.set(id, member);
    log.info(
      { event: 'worker-connected', worker: id, tenant_id: tenant, domain: request.domain, name: request.name },
      'a worker connected',
    );
    connection.say('welcome', {
      worker: id,
      heartbeat_ms: heartbeatMs,
      silence_ms: silenceMs,
      // Gateways before them refuse an output with a number, an end with `network_ms`, steps, questions, and files.
      output_numbers: true,
      network_times: true,
      steps: true,
      questions: true,
      accounts: true,
      account_scopes: true,
      costs: true,
      files: true,
      tools: judged.map(verdictOf),
    });
    const left = new Promise<void>((resolve) => {
      if (stream.gone.aborted) resolve();
      else stream.gone.addEventListener('abort', () => resolve());
    });
    try {
      await this.#review(member);
      await left;
    } finally {
      this.#members.delete(id);
      connection.lost();
      stream[Symbol.dispose]();
      log.info({ event: 'worker-left', worker: id, tenant_id: tenant, domain: request.domain }, 'a worker left');
      await this.#queues.get(queueName)?.remove(connection);
      if (member.serves.size > 0) await this.#tell(queueName).catch(this.#report);
    }
  }

  /**
   * Takes messages of a worker, or passes them on to its gateway. Throws RESOURCE_NOT_FOUND when the worker is connected to none: it has to
   * connect again.
   * @returns null when they were passed on
   */
  async receive(caller: Caller, id: string, given: readonly WorkerMessage[]): Promise<Received | null> {
    const member = this.#members.get(id);
    if (member?.connection.isOf(caller)) return member.connection.receive(given);
    const gatewayId = idShape.exec(id)?.[1];
    if (member || gatewayId === undefined || gatewayId === this.#gatewayId) throw noWorker();
    const { credentialId, tenantId } = caller;
    const text = JSON.stringify({ id, credentialId, tenantId, messages: given });
    const heard = await this.#parts.redis.publish(this.#parts.keys.workerMessages(gatewayId), text);
    if (heard === 0) throw noWorker();
    return null;
  }

  /**
   * Says which tools are served, drops workers that are silent and queues that nobody needs, and ends calls that nobody will run.
   * @param now in ms of a clock that nobody sets
   */
  async beat(now = performance.now()): Promise<void> {
    // After a pause of this process nobody has been heard, and nobody is to blame.
    if (now - this.#lastBeat > 2 * heartbeatMs) for (const { connection } of this.#members.values()) connection.heard();
    this.#lastBeat = now;
    for (const { connection } of this.#members.values()) {
      if (connection.silentMs > silenceMs) connection.close();
      else connection.say('ping', {});
    }
    this.#dropIdle(now);
    await this.#parts.directory.tellAll(connectedDomains(this.#members.values()));
    await this.#parts.unserved.sweep(this.#parts.now());
  }

  /** How many queues are open here, each with a connection to Redis. */
  get queueCount(): number {
    return this.#queues.size;
  }

  /** Throws NETWORK_ERROR once the gateway stops, and RATE_LIMITED when the key has enough workers. */
  #checkRoom(credentialId: string): void {
    if (this.#isStopping) throw new Refusal('NETWORK_ERROR', 'This gateway is stopping; connect again', { retry_after_ms: 1_000 });
    const { maxWorkersOfKey } = this.#parts;
    const ofKey = [...this.#members.values()].filter((member) => member.credentialId === credentialId);
    if (ofKey.length < maxWorkersOfKey) return;
    throw new Refusal('RATE_LIMITED', `This key has ${maxWorkersOfKey} workers here, the most that it may have`, { retry_after_ms: 5_000 });
  }

  /** What of its tools may be called now: those that are approved as it announced them. */
  async #review(member: Member): Promise<void> {
    const { directory } = this.#parts;
    const queue = servedDomainName(member.place);
    const serves = new Set(
      [...member.announced].filter(([one, print]) => directory.isApprovedAs({ queue, ...split(one) }, print)).map(([one]) => one),
    );
    if (serves.size === member.serves.size && [...serves].every((one) => member.serves.has(one))) return;
    member.serves = serves;
    await this.#queue(queue).set(member.connection, serves);
    await this.#tell(queue);
    member.connection.say('tools', { served: [...serves] });
  }

  async #reviewThoseOf(tenants: ReadonlySet<string>): Promise<void> {
    for (const member of this.#members.values()) if (tenants.has(member.place.tenant)) await this.#review(member);
  }

  /** Tells everybody who serves a queue here, at once. */
  async #tell(queue: string): Promise<void> {
    const ofQueue = [...this.#members.values()].filter(({ place }) => servedDomainName(place) === queue);
    await this.#parts.directory.tell(queue, connectedDomains(ofQueue)[0] ?? null);
  }

  /** Closes queues to which no worker was connected for a while: a worker that comes back opens its queue anew. */
  #dropIdle(now: number): void {
    for (const [name, queue] of this.#queues) {
      if (!queue.isEmpty) this.#emptySince.delete(name);
      else if (!this.#emptySince.has(name)) this.#emptySince.set(name, now);
      else if (now - (this.#emptySince.get(name) ?? now) > idleMs) {
        this.#emptySince.delete(name);
        this.#queues.delete(name);
        queue.close().catch(this.#report);
      }
    }
  }

  #queue(name: string): ServedQueue {
    const known = this.#queues.get(name);
    if (known) return known;
    const queue = new ServedQueue({ ...this.#parts.queue, name });
    this.#queues.set(name, queue);
    return queue;
  }

  async #receivePassedOn(text: string): Promise<void> {
    const { id, messages: given, ...from } = passedOn.parse(JSON.parse(text));
    const member = this.#members.get(id);
    if (!member?.connection.isOf(from)) return;
    const received = await member.connection.receive(given);
    const over = [...received.settled, ...received.unknown];
    if (over.length > 0) member.connection.say('settled', { attempts: over });
  }
}

function split(one: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = one.split('@');
  return { name, version };
}

function noWorker(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'This worker is not connected; connect again with POST /workers');
}
