import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Refusal, type Caller } from '#lib/contracts';
import { decodeTicket, encodeTicket, recordLifeMs, type RedisKeys, type RedisClient } from '#lib/transport';
import { Authenticator } from './authenticator.js';
import { Stores } from '../stores.js';

export const ticketSeconds = 60;
const shape = /^tkt_[A-Za-z0-9_-]{43}$/;

/**
 * One-time credentials for clients that cannot send headers (EventSource). A ticket starts one call or opens the events of one job.
 * After that it opens the events of the same job alone. It ends with the credential that it was made from.
 */
@Injectable()
export class Tickets {
  constructor(
    @Inject(Stores) private readonly stores: { readonly redis: RedisClient; readonly keys: RedisKeys },
    @Inject(Authenticator) private readonly credentials: Pick<Authenticator, 'check'>,
  ) {}

  async issue(caller: Caller): Promise<string> {
    const ticket = `tkt_${randomBytes(32).toString('base64url')}`;
    await this.stores.redis.set(this.stores.keys.ticket(ticket), encodeTicket({ caller, used: false }), 'EX', ticketSeconds);
    return ticket;
  }

  /** Uses a fresh ticket up. Throws UNAUTHORIZED, or NETWORK_ERROR when its credential cannot be checked. */
  async redeem(ticket: string): Promise<Caller> {
    if (!shape.test(ticket)) throw invalid();
    // Taken out, so that of two that come at once one finds it.
    const held = await this.stores.redis.getdel(this.stores.keys.ticket(ticket));
    if (!held) throw invalid();
    const { caller, used } = decodeTicket(held);
    if (used) throw invalid();
    await this.credentials.check(caller);
    return caller;
  }

  /** Binds a ticket that was used up to its job, once: a binding is neither changed nor renewed. */
  async bind(ticket: string, caller: Caller, jobId: string): Promise<void> {
    await this.stores.redis.set(this.stores.keys.usedTicket(ticket), encodeTicket({ caller, used: true, jobId }), 'PX', recordLifeMs, 'NX');
  }

  /** The reader of a job: of the one that the ticket is bound to, or of the first one that it is used for. Throws like `redeem`. */
  async readerOf(ticket: string, jobId: string): Promise<Caller> {
    if (!shape.test(ticket)) throw invalid();
    const held = await this.stores.redis.get(this.stores.keys.usedTicket(ticket));
    if (!held) {
      const caller = await this.redeem(ticket);
      await this.bind(ticket, caller, jobId);
      return caller;
    }
    const { caller, jobId: bound } = decodeTicket(held);
    if (bound !== jobId) throw invalid();
    await this.credentials.check(caller);
    return caller;
  }
}

function invalid(): Refusal {
  return new Refusal(
    'UNAUTHORIZED',
    'The ticket is not valid: it may belong to another job, have been used or be older than a minute; get one from POST /tickets',
  );
}
