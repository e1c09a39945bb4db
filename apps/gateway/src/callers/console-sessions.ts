import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Refusal, type Caller } from '#lib/contracts';
import type { RedisKeys, RedisClient } from '#lib/transport';
import type { ApiKeyDirectory } from './api-key-directory.js';

/** A session ends when no request comes for this long, and this long after its start whatever comes. */
export const idleMs = 30 * 60_000;
export const longestMs = 12 * 3_600_000;
export const consoleTicketSeconds = 60;

const idShape = /^[A-Za-z0-9_-]{43}$/;
const ticketShape = /^con_[A-Za-z0-9_-]{43}$/;
const stored = z.object({ key: z.string(), startedAt: z.number() });

interface SessionTimes {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly idleEndsAt: number;
  readonly endsAt: number;
}

/**
 * Sessions of the console in a browser. Its cookie holds a random id, Redis the hash of the id with the public id of the API key. The
 * key is looked up for each request, so a session ends with its key, and has no rights that the key has not.
 */
export class ConsoleSessions {
  readonly #redis: RedisClient;
  readonly #names: RedisKeys;
  readonly #keys: Pick<ApiKeyDirectory, 'callerOfId'>;
  readonly #now: () => number;

  constructor(
    redis: RedisClient,
    names: RedisKeys,
    { keys, now = Date.now }: { readonly keys: Pick<ApiKeyDirectory, 'callerOfId'>; readonly now?: () => number },
  ) {
    this.#redis = redis;
    this.#names = names;
    this.#keys = keys;
    this.#now = now;
  }

  /** Starts a session of a key that has just proved itself. @returns the id, for the cookie, and the session's caller */
  async start(keyId: string): Promise<{ readonly id: string; readonly caller: Caller; readonly times: SessionTimes }> {
    const caller = await this.#keys.callerOfId(keyId);
    const id = randomBytes(32).toString('base64url');
    const session = nameOf(id);
    const startedAt = this.#now();
    await this.#redis.set(this.#names.consoleSession(session), JSON.stringify({ key: keyId, startedAt }), 'PX', idleMs);
    return { id, caller: { ...caller, consoleSession: session }, times: timesOf(startedAt, startedAt) };
  }

  /** The caller of a session, which stays open for another 30 minutes. Throws UNAUTHORIZED, or NETWORK_ERROR without the database. */
  async callerOf(id: string): Promise<Caller> {
    if (!idShape.test(id)) throw ended();
    const session = nameOf(id);
    const { key } = await this.#read(session);
    return { ...(await this.#keys.callerOfId(key)), consoleSession: session };
  }

  /** The times of an open session. Throws UNAUTHORIZED. */
  async timesOf(session: string): Promise<SessionTimes> {
    const { startedAt } = await this.#read(session);
    return timesOf(startedAt, this.#now());
  }

  /** Throws UNAUTHORIZED when a session has ended. Does not keep it open: what is only open is not used. */
  async check(session: string): Promise<void> {
    const held = await this.#redis.get(this.#names.consoleSession(session));
    if (held === null || this.#isOver(held)) throw ended();
  }

  async end(session: string): Promise<void> {
    await this.#redis.del(this.#names.consoleSession(session));
  }

  /** A ticket for the address that signs a browser in, once. */
  async issueTicket(keyId: string): Promise<string> {
    const ticket = `con_${randomBytes(32).toString('base64url')}`;
    await this.#redis.set(this.#names.consoleTicket(ticket), keyId, 'EX', consoleTicketSeconds);
    return ticket;
  }

  /** Uses a ticket up. Throws UNAUTHORIZED. @returns the public id of its key */
  async redeemTicket(ticket: string): Promise<string> {
    // Taken out, so that of two that come at once one finds it.
    const keyId = ticketShape.test(ticket) ? await this.#redis.getdel(this.#names.consoleTicket(ticket)) : null;
    if (keyId === null) throw new Refusal('UNAUTHORIZED', 'The address has been used or is older than a minute; sign in with an API key');
    return keyId;
  }

  async #read(session: string): Promise<z.infer<typeof stored>> {
    const name = this.#names.consoleSession(session);
    const held = await this.#redis.get(name);
    if (held === null || this.#isOver(held)) throw ended();
    const { key, startedAt } = stored.parse(JSON.parse(held));
    const now = this.#now();
    await this.#redis.pexpire(name, timesOf(startedAt, now).idleEndsAt - now);
    return { key, startedAt };
  }

  /** Redis deletes it then; a clock that differs from that of Redis gives no session a longer life. */
  #isOver(held: string): boolean {
    return stored.parse(JSON.parse(held)).startedAt + longestMs <= this.#now();
  }
}

function timesOf(startedAt: number, usedAt: number): SessionTimes {
  const endsAt = startedAt + longestMs;
  return { startedAt, idleEndsAt: Math.min(usedAt + idleMs, endsAt), endsAt };
}

/** What stands for a session outside of its cookie: from it nobody can make the cookie. */
function nameOf(id: string): string {
  return hash('sha256', id, 'base64url');
}

function ended(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The session of the console has ended; sign in again');
}
