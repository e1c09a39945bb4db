import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Caller } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys, recordLifeMs } from '#lib/transport';
import { Tickets, ticketSeconds } from './tickets.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['tools:read'], credentialId: 'k' };
const namespace = newNamespace();
const keys = new RedisKeys(namespace);
let redis: Redis & AsyncDisposable;
let tickets: Tickets;

beforeAll(() => {
  redis = testRedis(namespace);
  tickets = new Tickets(redis, keys);
});
afterAll(async () => redis[Symbol.asyncDispose]());

describe('A ticket', () => {
  test('lets its caller start one call', async () => {
    const ticket = await tickets.issue(caller);
    expect(ticket).toMatch(/^tkt_[\w-]{43}$/);
    expect(await tickets.redeem(ticket, false)).toEqual(caller);
    await expect(tickets.redeem(ticket, false)).rejects.toThrow('The ticket is not valid');
  });

  test('lets its reader resume, as often as needed, before and after the start', async () => {
    const ticket = await tickets.issue(caller);
    expect(await tickets.redeem(ticket, true)).toEqual(caller);
    await tickets.redeem(ticket, false);
    expect(await tickets.redeem(ticket, true)).toEqual(caller);
    expect(await tickets.redeem(ticket, true)).toEqual(caller);
  });

  test('is taken by one of many who come at once', async () => {
    const ticket = await tickets.issue(caller);
    const taken = await Promise.allSettled(Array.from({ length: 20 }, async () => tickets.redeem(ticket, false)));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('lives a minute, and as long as the record of its call once it is used', async () => {
    const ticket = await tickets.issue(caller);
    const left = async () => redis.pttl(keys.ticket(ticket));
    expect(await left()).toBeLessThanOrEqual(ticketSeconds * 1_000);
    expect(await left()).toBeGreaterThan((ticketSeconds - 5) * 1_000);
    await tickets.redeem(ticket, false);
    expect(await left()).toBeLessThanOrEqual(recordLifeMs);
    expect(await left()).toBeGreaterThan(recordLifeMs - 5_000);
  });

  test('that is over is not valid, for a start or for a reader', async () => {
    const ticket = await tickets.issue(caller);
    await redis.pexpire(keys.ticket(ticket), 0);
    await expect(tickets.redeem(ticket, false)).rejects.toThrow('The ticket is not valid');
    await expect(tickets.redeem(ticket, true)).rejects.toThrow('The ticket is not valid');
  });

  test.each(['', 'x', 'tkt_', `tkt_${'a'.repeat(42)}`, `tkt_${'a'.repeat(43)}`, `tkt_${'a'.repeat(44)}`, `tkt_${'*'.repeat(43)}`])(
    'cannot be made up: %j',
    async (ticket) => {
      await expect(tickets.redeem(ticket, true)).rejects.toThrow('The ticket is not valid');
    },
  );
});
