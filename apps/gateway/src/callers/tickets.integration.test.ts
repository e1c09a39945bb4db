import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Refusal, type Caller } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { encodeTicket, RedisKeys, recordLifeMs } from '#lib/transport';
import { Tickets, ticketSeconds } from './tickets.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['tools:read'], credentialId: 'k' };
const namespace = newNamespace();
const keys = new RedisKeys(namespace);
const notValid = 'The ticket is not valid';
const credentials = {
  revoked: false,
  check: async () => {
    if (credentials.revoked) throw new Refusal('UNAUTHORIZED', 'The API key has been revoked');
  },
};
let redis: Redis & AsyncDisposable;
let tickets: Tickets;

beforeAll(() => {
  redis = testRedis(namespace);
  tickets = new Tickets({ redis, keys }, credentials);
});
beforeEach(() => void (credentials.revoked = false));
afterAll(async () => redis[Symbol.asyncDispose]());

/** A ticket that has started a job. */
async function used(jobId = 'job-1'): Promise<string> {
  const ticket = await tickets.issue(caller);
  await tickets.bind(ticket, await tickets.redeem(ticket), jobId);
  return ticket;
}

describe('A fresh ticket', () => {
  test('lets its caller start one call', async () => {
    const ticket = await tickets.issue(caller);
    expect(ticket).toMatch(/^tkt_[\w-]{43}$/);
    expect(await tickets.redeem(ticket)).toEqual(caller);
    await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
  });

  test('that opens the events of a job is used up by that', async () => {
    const ticket = await tickets.issue(caller);
    expect(await tickets.readerOf(ticket, 'job-1')).toEqual(caller);
    await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
    await expect(tickets.readerOf(ticket, 'job-2')).rejects.toThrow(notValid);
    expect(await tickets.readerOf(ticket, 'job-1')).toEqual(caller);
  });

  test('is taken by one of many who come at once', async () => {
    const ticket = await tickets.issue(caller);
    const taken = await Promise.allSettled(Array.from({ length: 20 }, async () => tickets.redeem(ticket)));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('lives a minute', async () => {
    const ticket = await tickets.issue(caller);
    const left = await redis.pttl(keys.ticket(ticket));
    expect(left).toBeLessThanOrEqual(ticketSeconds * 1_000);
    expect(left).toBeGreaterThan((ticketSeconds - 5) * 1_000);
    await redis.pexpire(keys.ticket(ticket), 0);
    await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
    await expect(tickets.readerOf(ticket, 'job-1')).rejects.toThrow(notValid);
  });

  test('ends with its credential', async () => {
    const ticket = await tickets.issue(caller);
    credentials.revoked = true;
    await expect(tickets.redeem(ticket)).rejects.toThrow('The API key has been revoked');
  });

  test.each(['', 'x', 'tkt_', `tkt_${'a'.repeat(42)}`, `tkt_${'a'.repeat(43)}`, `tkt_${'a'.repeat(44)}`, `tkt_${'*'.repeat(43)}`])(
    'cannot be made up: %j',
    async (ticket) => {
      await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
      await expect(tickets.readerOf(ticket, 'job-1')).rejects.toThrow(notValid);
    },
  );

  test('is none that an older version stored after its use', async () => {
    const ticket = await tickets.issue(caller);
    await redis.set(keys.ticket(ticket), encodeTicket({ caller, used: true }));
    await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
  });
});

describe('A used ticket', () => {
  test('opens the events of its job as often as needed, and of no other', async () => {
    const ticket = await used();
    expect(await tickets.readerOf(ticket, 'job-1')).toEqual(caller);
    expect(await tickets.readerOf(ticket, 'job-1')).toEqual(caller);
    for (const other of ['job-2', '']) await expect(tickets.readerOf(ticket, other)).rejects.toThrow(notValid);
  });

  test('can neither be bound again nor be renewed', async () => {
    const ticket = await used();
    const left = async () => redis.pttl(keys.usedTicket(ticket));
    expect(await left()).toBeLessThanOrEqual(recordLifeMs);
    expect(await left()).toBeGreaterThan(recordLifeMs - 60_000);
    await redis.pexpire(keys.usedTicket(ticket), 60_000);
    await expect(tickets.redeem(ticket)).rejects.toThrow(notValid);
    await tickets.readerOf(ticket, 'job-1');
    await tickets.bind(ticket, caller, 'job-2');
    expect(await left()).toBeLessThanOrEqual(60_000);
    await expect(tickets.readerOf(ticket, 'job-2')).rejects.toThrow(notValid);
  });

  test('ends with its credential', async () => {
    const ticket = await used();
    credentials.revoked = true;
    await expect(tickets.readerOf(ticket, 'job-1')).rejects.toThrow('The API key has been revoked');
  });
});
