import { Inject, Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Refusal, type Caller } from '#lib/contracts';
import { ApiKeyDirectory } from './api-key-directory.js';
import { keptCaller, toKeptCaller } from './kept-caller.js';
import { tokenCredential, Tokens } from './tokens.js';
import { Stores } from '../stores.js';
import { SharedClock } from '#lib/transport';

/** A session ends when no request comes for this long, and this long after its start whatever comes. */
export const idleMs = 30 * 60_000;
export const longestMs = 12 * 3_600_000;
export const consoleTicketSeconds = 60;

const idShape = /^[A-Za-z0-9_-]{43}$/;
const ticketShape = /^con_[A-Za-z0-9_-]{43}$/;
const startedAt = z.number();
/** Of a key by its public id, or of a user whom the issuer of tokens has signed in, with the sealed ID token. */
const stored = z.union([z.object({ key: z.string(), startedAt }), z.object({ user: keptCaller, idToken: z.string(), startedAt })]);
type Stored = z.infer<typeof stored>;

interface SessionTimes {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly idleEndsAt: number;
  readonly endsAt: number;
}

interface StartedSession {
  /** For the cookie. */
  readonly id: string;
  readonly caller: Caller;
  readonly times: SessionTimes;
}

/**
 * Sessions of the console in a browser. Its cookie holds a random id, Redis the hash of the id with the public id of the API key. The
 * key is looked up for each request, so a session ends with its key, and has no rights that the key has not. A user of the issuer has the
 * rights with which he came, as far as tokens have them today.
 */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly stores: Stores,
    @Inject(ApiKeyDirectory) private readonly keys: Pick<ApiKeyDirectory, 'callerOfId'>,
    @Inject(Tokens) private readonly tokens: Pick<Tokens, 'callerAgain'>,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Starts a session of a key that has just proved itself. @returns the id, for the cookie, and the session's caller */
  async start(keyId: string): Promise<StartedSession> {
    return this.#start(await this.keys.callerOfId(keyId), () => ({ key: keyId, startedAt: this.#now() }));
  }

  /** Starts a session of a user whom the issuer of tokens has just signed in. Throws UNAUTHORIZED where tokens are not accepted. */
  async startFor(user: Pick<Caller, 'tenantId' | 'userId' | 'tier' | 'scopes'>, idToken: string): Promise<StartedSession> {
    const known: Caller = { ...user, credentialId: tokenCredential(user) };
    return this.#start(this.tokens.callerAgain(known), (session) => ({
      user: toKeptCaller(known),
      idToken: this.stores.sealer.sealText(idToken, purposeOf(session)),
      startedAt: this.#now(),
    }));
  }

  async #start(caller: Caller, storedAs: (session: string) => Stored): Promise<StartedSession> {
    const id = randomBytes(32).toString('base64url');
    const session = nameOf(id);
    const kept = storedAs(session);
    await this.stores.redis.set(this.stores.keys.consoleSession(session), JSON.stringify(kept), 'PX', idleMs);
    return { id, caller: { ...caller, consoleSession: session }, times: timesOf(kept.startedAt, kept.startedAt) };
  }

  /** The caller of a session, which stays open for another 30 minutes. Throws UNAUTHORIZED, or NETWORK_ERROR without the database. */
  async callerOf(id: string): Promise<Caller> {
    if (!idShape.test(id)) throw ended();
    const session = nameOf(id);
    const held = await this.#read(session);
    const caller = 'key' in held ? await this.keys.callerOfId(held.key) : this.tokens.callerAgain(held.user);
    return { ...caller, consoleSession: session };
  }

  /** The times of an open session. Throws UNAUTHORIZED. */
  async timesOf(session: string): Promise<SessionTimes> {
    const { startedAt } = await this.#read(session);
    return timesOf(startedAt, this.#now());
  }

  /** Throws UNAUTHORIZED when a session has ended. Does not keep it open: what is only open is not used. */
  async check(session: string): Promise<void> {
    const held = await this.stores.redis.get(this.stores.keys.consoleSession(session));
    if (held === null || this.#isOver(held)) throw ended();
  }

  /** @returns the ID token of a user whom the issuer has signed in; null for the session of a key, and one that has ended */
  async end(session: string): Promise<string | null> {
    const held = await this.stores.redis.getdel(this.stores.keys.consoleSession(session));
    const kept = held === null ? null : stored.parse(JSON.parse(held));
    return kept && 'idToken' in kept ? this.stores.sealer.openText(kept.idToken, purposeOf(session)) : null;
  }

  /** A ticket for the address that signs a browser in, once. */
  async issueTicket(keyId: string): Promise<string> {
    const ticket = `con_${randomBytes(32).toString('base64url')}`;
    await this.stores.redis.set(this.stores.keys.consoleTicket(ticket), keyId, 'EX', consoleTicketSeconds);
    return ticket;
  }

  /** Uses a ticket up. Throws UNAUTHORIZED. @returns the public id of its key */
  async redeemTicket(ticket: string): Promise<string> {
    // Taken out, so that of two that come at once one finds it.
    const keyId = ticketShape.test(ticket) ? await this.stores.redis.getdel(this.stores.keys.consoleTicket(ticket)) : null;
    if (keyId === null) throw new Refusal('UNAUTHORIZED', 'The address has been used or is older than a minute; sign in with an API key');
    return keyId;
  }

  async #read(session: string): Promise<Stored> {
    const name = this.stores.keys.consoleSession(session);
    const held = await this.stores.redis.get(name);
    if (held === null || this.#isOver(held)) throw ended();
    const kept = stored.parse(JSON.parse(held));
    const now = this.#now();
    await this.stores.redis.pexpire(name, timesOf(kept.startedAt, now).idleEndsAt - now);
    return kept;
  }

  #now(): number {
    return Math.floor(this.clock.now());
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

function purposeOf(session: string): string {
  return `ID token of ${session}`;
}

function ended(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The session of the console has ended; sign in again');
}
