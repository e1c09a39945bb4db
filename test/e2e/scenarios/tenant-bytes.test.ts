import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { dayMs, givenStores, hourMs, HttpCaller, startTimeoutMs, Tenant, type EnvelopeReply, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';

jest.setTimeout(startTimeoutMs);

const limit = 4 * 1_048_576;

describe('a tenant that fills the store', () => {
  let lab: LabSystem;
  let system: System;
  let neighbour: Tenant;
  let greedy: HttpCaller;
  let quiet: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2, gatewayEnv: { TENANT_BYTES: String(limit) } });
    system = lab.system;
    neighbour = await Tenant.create(givenStores().databaseUrl);
    greedy = await system.caller();
    quiet = new HttpCaller(system.gateway.url, await neighbour.key());
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await neighbour?.[Symbol.asyncDispose]();
  }, startTimeoutMs);

  /** Answers of 50 KB each, which stay in Redis, until one is refused. */
  async function fill(caller: HttpCaller): Promise<{ kept: number; refused: EnvelopeReply }> {
    for (let kept = 0; ; kept++) {
      if (kept * 50_000 > limit) throw new Error(`${kept} calls were let in`);
      const reply = await caller
        .at(system.gateways[kept % 2]?.url ?? '')
        .call('lab_large', { order: `fill-${kept}`, answer_characters: 16_000 });
      if (!reply.envelope.success) return { kept, refused: reply };
    }
  }

  test('is refused with what it holds, what it may hold and how to free it, at every gateway and with every key; others go on', async () => {
    const { kept, refused } = await fill(greedy);
    expect(kept).toBeGreaterThan(50);
    const { error } = expectRefusal(refused, { status: 429, code: 'QUOTA_EXCEEDED', tool: 'lab_large' });
    expect(error).toMatchObject({ retryable: false, limit_bytes: limit, used_bytes: expect.any(Number), needed_bytes: expect.any(Number) });
    expect(error.message).toMatch(/bytes.*24 hours.*TENANT_BYTES/);
    expect(refused.headers.get('retry-after')).toBeNull();

    const colleague = (await system.caller({ userId: 'colleague' })).at(system.gateways[1]?.url ?? '');
    expect((await colleague.call('lab_large', { order: 'mine' })).status).toBe(429);
    expect((await colleague.call('lab_large', { order: 'mine', text: 'x'.repeat(200_000) })).status).toBe(429);
    expect((await quiet.call('lab_large', { order: 'theirs' })).envelope.success).toBe(true);
    // What needs no bytes goes on: reading what is kept.
    expect((await greedy.get('/jobs?limit=5')).status).toBe(200);

    // Redis holds no more than that for the tenant, whatever it tries.
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => greedy.call('lab_large', { order: `more-${index}`, text: 'x'.repeat(30_000) })),
    );
    const bytes = (await system.redis.everything()).length;
    expect(bytes).toBeLessThan(2 * limit);
  });

  test('that is refused has not used up the day of the caller', async () => {
    const days = async () => (await system.redis.keys()).filter((key) => /:day:/.test(key));
    const before = await days();
    // Calls of a free caller are counted one by one, not ahead.
    const newcomer = await system.caller({ userId: 'newcomer', tier: 'free' });
    expect((await newcomer.call('lab_large', { order: 'again' })).status).toBe(429);
    const own = (await days()).filter((key) => !before.includes(key));
    for (const key of own) expect(await system.redis.redis.get(key)).toBe('0');
    expect(own).toHaveLength(1);
  });

  test('has its room back a day later, without anybody’s doing', async () => {
    await system.clock.advance(dayMs - hourMs);
    expect((await greedy.call('lab_large', { order: 'early' })).status).toBe(429);
    await system.clock.advance(2 * hourMs + 1_000);
    const { kept } = await fill(greedy);
    expect(kept).toBeGreaterThan(50);
  });
});
