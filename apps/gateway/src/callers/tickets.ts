import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Refusal, type Caller } from '#lib/contracts';
import { decodeTicket, encodeTicket, recordLifeMs, type RedisKeys } from '#lib/transport';

export const ticketSeconds = 60;
const shape = /^tkt_[A-Za-z0-9_-]{43}$/;

/**
 * One-time credentials for clients that cannot send headers (EventSource). A ticket starts one call; after that it only
 * lets the same call's stream be resumed.
 */
export class Tickets {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async issue(caller: Caller): Promise<string> {
    const ticket = `tkt_${randomBytes(32).toString('base64url')}`;
    await this.#redis.set(this.#keys.ticket(ticket), encodeTicket({ caller, used: false }), 'EX', ticketSeconds);
    return ticket;
  }

  /** The caller of a fresh ticket, which is fresh no more. With `resuming`, of a used one too. Throws UNAUTHORIZED. */
  async redeem(ticket: string, resuming: boolean): Promise<Caller> {
    if (!shape.test(ticket)) throw invalid();
    const key = this.#keys.ticket(ticket);
    const held = await this.#redis.get(key);
    if (!held) throw invalid();
    const { caller, used } = decodeTicket(held);
    if (resuming) return caller;
    // Refused before anything is written: a used ticket must not live longer because somebody tries it again.
    if (used) throw invalid();
    // Taken out, so that of two that come at once one finds it.
    const taken = await this.#redis.getdel(key);
    if (!taken) throw invalid();
    await this.#redis.set(key, encodeTicket({ caller, used: true }), 'PX', recordLifeMs);
    if (decodeTicket(taken).used) throw invalid();
    return caller;
  }
}

function invalid(): Refusal {
  return new Refusal(
    'UNAUTHORIZED',
    'The ticket is not valid: it may have been used or be older than a minute; get one from POST /tickets',
  );
}
