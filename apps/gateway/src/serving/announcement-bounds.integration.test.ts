// What tenants announce costs a gateway little: it is bounded, compared before it is checked, and checked elsewhere.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Refusal } from '#lib/contracts';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
import { AnnouncementBudget } from './announcement-budget.js';
import type { Check } from './contract-checks.js';
import { announced, announcer, servingWith } from './test-announcer.js';

// Thousands of announcements are checked, beside other tests that need the processors too.
jest.setTimeout(90_000);

let gateway: TestHttpGateway;
beforeAll(async () => void (gateway = await TestHttpGateway.start()));
afterAll(async () => gateway[Symbol.asyncDispose]());

const asOwner = { approves: true, keyId: 'owner' };
const described = (length: number) => ({ description: `Price one order of a customer. ${'x'.repeat(length)}` });
const named = (n: number, more: object = {}) => announced({ name: `tool_${n}`, ...more });

/** Checks as the gateway does, and counts. */
function counted() {
  const { contractChecks } = gateway.app.get(Stores);
  const counts = { checks: 0, running: 0, most: 0 };
  const inTurn = async <T>(tenant: string, onSpent: (ms: number) => void, work: (check: Check) => Promise<T>): Promise<T> =>
    contractChecks.inTurn(tenant, onSpent, async (check) => {
      counts.most = Math.max(counts.most, ++counts.running);
      try {
        return await work(async (contract) => {
          counts.checks += 1;
          return check(contract);
        });
      } finally {
        counts.running -= 1;
      }
    });
  return { counts, checks: { inTurn } };
}

describe('the approved contracts of a tenant', () => {
  test('have at most so many bytes together, also when they come all at once', async () => {
    const maxBytes = 4_000;
    const one = announcer(gateway, servingWith(gateway, { bounds: { maxBytes, maxDomains: 10 } }));
    const all = Array.from({ length: 12 }, (_, n) => named(n, described(300)));
    const verdicts = await Promise.all(all.map(async (tool) => one.announce(tool, asOwner)));
    const rows = await one.tools.all(one.tenant);
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    expect(bytes).toBeGreaterThan(maxBytes / 2);
    expect(bytes).toBeLessThan(maxBytes * 1.1);
    expect(verdicts.filter((verdict) => verdict?.state === 'refused')).toHaveLength(all.length - rows.length);
    expect(await one.announce(named(99, described(900)), asOwner)).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('the 4000 that they may have'),
    });
  });

  test('count as they are published: references that multiply are many bytes', async () => {
    const one = announcer(gateway, servingWith(gateway, { bounds: { maxBytes: 400_000, maxDomains: 10 } }));
    const level = (next: object) => Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`field_${n}`, next]));
    const $defs = Object.fromEntries(
      [0, 1, 2, 3].map((n) => [`d${n}`, { type: 'object', properties: level(n < 3 ? { $ref: `#/$defs/d${n + 1}` } : { type: 'string' }) }]),
    );
    const input = { type: 'object', properties: { units: { $ref: '#/$defs/d0' } }, $defs };
    const verdicts = await one.announceAll(
      Array.from({ length: 6 }, (_, n) => named(n, { input, examples: [{ input: {}, output: { total: 1 } }] })),
      asOwner,
    );
    expect(verdicts.map(({ state }) => state)).toContain('refused');
    expect(verdicts.find(({ state }) => state === 'refused')?.reason).toContain('bytes');
  });

  test('are at most 500 versions, never one more', async () => {
    const { database } = gateway.app.get(Stores);
    const one = announcer(gateway);
    const row = { tenantId: one.tenant, domain: 'sales', contract: {}, announcedBy: 'k', announcedAt: new Date(), approvedAt: new Date() };
    await database.servedTool.createMany({ data: Array.from({ length: 495 }, (_, n) => ({ ...row, name: `old_${n}`, version: '1.0.0' })) });
    await Promise.all(Array.from({ length: 12 }, async (_, n) => one.announce(named(n), asOwner)));
    expect(await database.servedTool.count({ where: { tenantId: one.tenant } })).toBe(500);
    expect(await one.announce(named(99), asOwner)).toMatchObject({ reason: expect.stringContaining('500') });
    // What waits takes none of the places.
    expect(await one.announce(named(99), { keyId: 'guest' })).toMatchObject({ state: 'pending' });
    expect(await one.approve('1.0.0', 'tool_99')).toMatchObject({ kind: 'refused', reason: expect.stringContaining('500') });
  });

  test('are in few domains', async () => {
    const one = announcer(gateway, servingWith(gateway, { bounds: { maxBytes: 100_000, maxDomains: 2 } }));
    const places = await Promise.all([1, 2, 3, 4].map(async (n) => one.announce(named(n), { ...asOwner, domain: `d${n}` })));
    expect(places.filter((verdict) => verdict?.state === 'approved')).toHaveLength(2);
    expect(places.find((verdict) => verdict?.state === 'refused')?.reason).toMatch(/tools in 2 domains, and may have them in 2/);
  });
});

describe('an announcement', () => {
  test('that has not changed is not checked again, whoever sends it; one letter more is', async () => {
    const { counts, checks } = counted();
    const one = announcer(gateway, servingWith(gateway, { checks }));
    const all = [named(1), named(2)];
    const first = await one.announceAll(all, asOwner);
    expect(await one.announceAll(all, asOwner)).toEqual(first);
    expect(await one.announceAll(all, { keyId: 'guest' })).toEqual(first);
    expect(counts.checks).toBe(2);
    expect(await one.announceAll([named(1), named(2, described(1))], asOwner)).toMatchObject([
      { state: 'approved' },
      { state: 'approved' },
    ]);
    expect(counts.checks).toBe(3);
    expect(await one.announce(named(1), { ...asOwner, domain: 'other' })).toMatchObject({ state: 'refused' });
  });

  test('of many workers of one program at once is checked once, one of a tenant at a time', async () => {
    const { counts, checks } = counted();
    const one = announcer(gateway, servingWith(gateway, { checks }));
    const all = Array.from({ length: 5 }, (_, n) => named(n));
    const verdicts = await Promise.all(Array.from({ length: 10 }, async () => one.announceAll(all, asOwner)));
    expect(new Set(verdicts.flat().map(({ state }) => state))).toEqual(new Set(['approved']));
    expect(counts).toEqual({ checks: 5, running: 0, most: 1 });
  });

  test('of one tenant costs points, which others do not pay', async () => {
    const serving = servingWith(gateway, { budget: new AnnouncementBudget(() => 0) });
    const [one, other] = [announcer(gateway, serving), announcer(gateway, serving)];
    const large = (n: number) =>
      named(n, { description: 'x', errors: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`E_${n}_${at}`, 'CONFLICT'])) });
    const send = async (n: number) =>
      one.announceAll(Array.from({ length: 20 }, (_, at) => large(n * 20 + at))).then(
        () => null,
        (error: unknown) => error,
      );
    const refusals: unknown[] = [];
    for (let n = 0; n < 12; n++) refusals.push(await send(n));
    expect(refusals[0]).toBeNull();
    expect(refusals.at(-1)).toBeInstanceOf(Refusal);
    expect(refusals.at(-1)).toMatchObject({ error: { family: 'RATE_LIMITED', retry_after_ms: expect.any(Number) } });
    expect(await other.announce(named(1))).toMatchObject({ state: 'pending' });
  });

  test('that was let in with others is not checked where those before it have cost all points', async () => {
    const { counts, checks } = counted();
    const inTurn: typeof checks.inTurn = async (tenant, onSpent, work) =>
      checks.inTurn(tenant, onSpent, async (check) => work(check).finally(() => onSpent(20_000)));
    const one = announcer(gateway, servingWith(gateway, { checks: { inTurn }, budget: new AnnouncementBudget(() => 0) }));
    const all = await Promise.allSettled(Array.from({ length: 5 }, async (_, n) => one.announce(named(n), asOwner)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(counts.checks).toBe(1);
  });

  test('that costs more than is left is taken all the same', async () => {
    const budget = new AnnouncementBudget(() => 0);
    const one = announcer(gateway, servingWith(gateway, { budget }));
    budget.spend(one.tenant, 998);
    expect(await one.announce(named(1), asOwner)).toMatchObject({ state: 'approved' });
    await expect(one.announce(named(2), asOwner)).rejects.toBeInstanceOf(Refusal);
  });
});
