import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Caller, ToolContract } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { BudgetCounts, newJobId, partitionOf, RedisKeys, type CountedBudget } from '#lib/transport';
import { plain } from '../../calls/test-tools.js';
import { ReadyBudget } from './budget-directory.js';
import type { BudgetRow } from './budget-store.js';
import { CallBudgets } from './call-budgets.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const counts = new BudgetCounts(redis, new RedisKeys(namespace));
afterAll(async () => redis[Symbol.asyncDispose]());

let counters = 0n;
/** Counters of the past are gone at once. */
const now = Date.UTC(2031, 0, 1);
const newJob = () => newJobId(partitionOf('profile'));
const costing = (micros: number): ToolContract => ({ ...plain, cost: { micros } });

function rowOf(tenantId: string, given: Partial<BudgetRow>): BudgetRow {
  const blank = { userId: null, key: null, tool: null, period: 'day', timeZone: 'UTC', limitMicros: null, limitCalls: null, warnAt: 0.8 };
  const made = { createdAt: new Date(0), updatedAt: new Date(0), revision: 1n };
  return { tenantId, name: 'b', ...blank, ...made, counter: ++counters, ...given };
}

function budgetsOf(given: readonly Partial<BudgetRow>[]) {
  const tenantId = randomUUID();
  const caller: Caller = { tenantId, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
  const ready = given.map((one) => new ReadyBudget(rowOf(tenantId, one)));
  const told: string[] = [];
  const nothingBefore = { spentBefore: async () => Promise.resolve({ micros: 0, calls: 0 }) };
  const teller = {
    tell: ({ row }: ReadyBudget, { start }: CountedBudget, what: string) =>
      told.push(`${row.name} ${what} ${new Date(start).toISOString()}`),
  };
  const budgets = new CallBudgets({ of: () => ready }, nothingBefore, counts, teller);
  return { tenantId, caller, ready, budgets, told };
}

test('midnight of its own zone begins a budget anew, also after 23 and 25 hours, and what was held counts for its own day', async () => {
  const { tenantId, caller, budgets, ready, told } = budgetsOf([
    { name: 'berlin', timeZone: 'Europe/Berlin', limitCalls: 1n, warnAt: 1 },
    { name: 'shanghai', timeZone: 'Asia/Shanghai', limitCalls: 2n, warnAt: 1 },
  ]);
  const callAt = async (moment: string) => {
    const jobId = newJob();
    const room = await budgets.reserve({ jobId, contract: costing(0), caller, now: Date.parse(moment) });
    if (room?.kind === 'held') room.tell();
    return room?.kind === 'full' ? String(room.refusal.error.extra?.['budget']) : jobId;
  };
  const first = await callAt('2031-03-29T22:59:59.999Z');
  expect(await callAt('2031-03-29T22:59:59.999Z')).toBe('berlin');
  // 23 hours in Berlin, whose midnight is at 22:00 then.
  expect(await callAt('2031-03-29T23:00:00.000Z')).toMatch(/^inv_/);
  expect(await callAt('2031-03-30T15:59:59.999Z')).toBe('berlin');
  expect(await callAt('2031-03-30T21:59:59.999Z')).toBe('berlin');
  expect(await callAt('2031-03-30T22:00:00.000Z')).toMatch(/^inv_/);
  // 25 hours.
  expect(await callAt('2031-10-25T22:00:00.000Z')).toMatch(/^inv_/);
  expect(await callAt('2031-10-26T22:59:59.999Z')).toBe('berlin');
  expect(await callAt('2031-10-26T23:00:00.000Z')).toMatch(/^inv_/);
  expect(await counts.settle(tenantId, first, { ran: true, micros: 0 })).toBe(true);
  expect(told.filter((line) => line.startsWith('berlin exceeded'))).toHaveLength(3);
  expect(ready.map((budget) => budget.at(Date.parse('2031-03-29T16:00:00.000Z')).start)).toEqual([
    Date.parse('2031-03-28T23:00:00.000Z'),
    Date.parse('2031-03-29T16:00:00.000Z'),
  ]);
});

test('a call that ends after midnight counts for the day on which it came', async () => {
  const { tenantId, caller, budgets, ready } = budgetsOf([{ limitMicros: 10n }]);
  const [before, after] = [Date.parse('2031-11-26T23:59:59.999Z'), Date.parse('2031-11-27T00:00:00.000Z')];
  const jobId = newJob();
  await budgets.reserve({ jobId, contract: costing(10), caller, now: before });
  expect(await budgets.reserve({ jobId: newJob(), contract: costing(10), caller, now: after })).toMatchObject({ kind: 'held' });
  expect(await counts.settle(tenantId, jobId, { ran: true, micros: 10 })).toBe(true);
  expect(await counts.settle(tenantId, jobId, { ran: true, micros: 10 })).toBe(false);
  const [budget] = ready;
  if (!budget) throw new Error('no budget');
  expect(await counts.spent(tenantId, budget.at(before))).toMatchObject({ micros: 10, calls: 1, reservedMicros: 0 });
  expect(await counts.spent(tenantId, budget.at(after))).toMatchObject({ micros: 0, calls: 0, reservedMicros: 10, reservedCalls: 1 });
});

test('a warning that was given to a call which was not accepted is given to the next one', async () => {
  const { caller, budgets } = budgetsOf([{ limitMicros: 100n, warnAt: 0.5 }]);
  const reserve = async (jobId: string) => budgets.reserve({ jobId, contract: costing(50), caller, now: now });
  const jobId = newJob();
  expect(await reserve(jobId)).toMatchObject({ kind: 'held', warnings: [expect.stringContaining('50 %')] });
  await budgets.release({ jobId, caller });
  expect(await reserve(newJob())).toMatchObject({ kind: 'held', warnings: [expect.stringContaining('50 %')] });
  expect(await reserve(newJob())).toMatchObject({ kind: 'held', warnings: [] });
});

test('whatever calls come and end, what is spent and held is their sum and never above the limit', async () => {
  const step = fc.record({ micros: fc.integer({ min: 0, max: 40 }), ends: fc.constantFrom('open', 'ran', 'cancelled', 'twice') });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 0, max: 8 }),
      fc.array(step, { maxLength: 12 }),
      async (money, calls, steps) => {
        const { tenantId, caller, budgets, ready } = budgetsOf([{ limitMicros: BigInt(money) }, { name: 'c', limitCalls: BigInt(calls) }]);
        const model = { spent: 0, calls: 0, held: 0, heldCalls: 0 };
        for (const { micros, ends } of steps) {
          const jobId = newJob();
          const room = await budgets.reserve({ jobId, contract: costing(micros), caller, now: now });
          const fits =
            (model.spent + model.held < money || micros > 0) &&
            model.spent + model.held + micros <= money &&
            model.calls + model.heldCalls + 1 <= calls;
          expect(room?.kind).toBe(fits ? 'held' : 'full');
          if (!fits) continue;
          if (ends === 'open') {
            model.held += micros;
            model.heldCalls += 1;
            continue;
          }
          const ran = ends !== 'cancelled';
          for (let time = 0; time < (ends === 'twice' ? 2 : 1); time++) await counts.settle(tenantId, jobId, { ran, micros });
          if (ran) {
            model.spent += micros;
            model.calls += 1;
          }
        }
        const bounded = ready[1];
        if (steps.length > 0 && bounded)
          expect(await counts.spent(tenantId, bounded.at(now))).toMatchObject({
            micros: model.spent,
            calls: model.calls,
            reservedMicros: model.held,
            reservedCalls: model.heldCalls,
          });
      },
    ),
    { numRuns: 60 },
  );
});
