// Whoever decides may die at any moment: a row follows the record of its call, also when nobody looks.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { answerOf, inputWait, type Decision } from '#lib/contracts';
import { HttpCaller, startTimeoutMs } from '#lib/testing';
import { mintTurnToken } from '#lib/transport';
import { Calls } from '../calls/calls.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Hooks } from './hooks.js';
import { InputStore } from '../calls/waiting/input-store.js';
import { ConnectionLinks } from '../calls/waiting/connection-links.js';
import { WaitingTurns } from '../calls/waiting/waiting-turns.js';
import { Outbox } from '../outbox/outbox.js';
import { InputRequests } from './input-requests.js';
import { InputSweeper } from './input-sweeper.js';
import { decide, expire, read, startDeciding, type Deciding } from './test-inputs.js';

const hourMs = 3_600_000;
let gateway: Deciding;
let inputs: InputStore;

beforeAll(async () => {
  gateway = await startDeciding();
  inputs = new InputStore(gateway.stores, gateway.app.get(Outbox));
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const rowOf = async (id: string) => gateway.stores.database.inputRequest.findUnique({ where: { id } });

/** A round of a sweeper whose clock is ahead. */
async function sweep(aheadMs: number): Promise<void> {
  const now = () => Date.now() + aheadMs;
  const { app, stores } = gateway;
  const [calls, hooks, tools, links] = [app.get(Calls), app.get(Hooks), app.get(ToolDirectory), app.get(ConnectionLinks)];
  const requests = new InputRequests(stores, inputs, new WaitingTurns(stores, { now }), calls, hooks, tools, links, { now });
  await new InputSweeper(stores, inputs, requests, { now }).sweep();
}

/** What whoever decides does, up to the moment at which it dies. */
async function decidedAndDied(jobId: string, decision: Decision, order?: string): Promise<boolean> {
  const record = await gateway.stores.store.read(jobId);
  if (!record) throw new Error('There is no record');
  await inputs.lookAt(decision.request, new Date(Date.now() + 5_000));
  const head = order === undefined ? undefined : { ...record.head, input: { order }, editedBy: decision.by };
  return gateway.app.get(Calls).decide(record, decision, head);
}

const by = 't/dead';

test('a decision that was made and not noted is noted, with whose it was, and is in the audit', async () => {
  const { input, job_id } = await gateway.ask({ order: 'one' });
  const decision: Decision = { request: input, action: 'accept', by, at: Date.now(), reason: 'fair', edited: true };
  expect(await decidedAndDied(job_id, decision, 'two')).toBe(true);
  expect(await rowOf(input)).toMatchObject({ state: 'open' });
  await sweep(6_000);
  expect(await rowOf(input)).toMatchObject({ state: 'accepted', decidedBy: by, reason: 'fair', edited: true, lookAt: null });
  expect(await read(gateway.asker, input)).toMatchObject({ arguments: { order: 'two' } });
  const auditor = await gateway.caller({ userId: 'auditor', scopes: ['*'] });
  const events = z.looseObject({ events: z.array(z.looseObject({ actor: z.string() })) });
  expect((await auditor.get(`/audit?subject=${input}`)).as(events).events).toMatchObject([{ actor: by }]);
});

test('so is one that ended the call, and a read sees it before any sweeper', async () => {
  const { input, job_id } = await gateway.ask({ order: 'no' });
  expect(await decidedAndDied(job_id, { request: input, action: 'decline', by, at: Date.now(), reason: 'no' })).toBe(true);
  expect(await read(gateway.boss, input)).toMatchObject({ state: 'declined', decided_by: by, reason: 'no' });
  expect((await decide(gateway.boss, input, { action: 'accept' })).status).toBe(409);
});

/** A call that a chat turn makes, and how the turn is told. Here the turn is a call that rests for something of its own. */
async function askInTurn(order: string) {
  const { store, sealer } = gateway.stores;
  const turn = await gateway.ask({ order: 'turn' });
  const caller = (await store.read(turn.job_id))?.head.caller;
  if (!caller) throw new Error('There is no record');
  const token = mintTurnToken(sealer, { jobId: turn.job_id, caller, expiresAt: Date.now() + 60_000 });
  const asked = await gateway.ask({ order }, 'test_approved', new HttpCaller(gateway.url, token));
  return { ...asked, isTold: async () => (await store.steps.earlier(turn.job_id)).has(answerOf(inputWait(asked.input))) };
}

test('the turn that made a call is told by whoever decides, cancels, or finds what was decided', async () => {
  const decided = await askInTurn('decided');
  const decline = { action: 'decline', by, at: Date.now() } as const;
  await decidedAndDied(decided.job_id, { ...decline, request: decided.input });
  expect(await decided.isTold()).toBe(false);
  await sweep(6_000);
  expect(await decided.isTold()).toBe(true);
  const [approved, cancelled] = [await askInTurn('approved'), await askInTurn('cancelled')];
  await decide(gateway.boss, approved.input, { action: 'accept' });
  await gateway.asker.delete(cancelled.links.self);
  expect([await approved.isTold(), await cancelled.isTold()]).toEqual([true, true]);
});

test('that nobody decided is noted after the end', async () => {
  const { input, job_id } = await gateway.ask({ order: 'late' });
  await sweep(11_000);
  await sweep(hourMs + 500);
  expect(await rowOf(input)).toMatchObject({ state: 'open' });
  await expire(gateway, job_id);
  await sweep(hourMs + 5_000);
  expect(await rowOf(input)).toMatchObject({ state: 'expired', decidedBy: null, lookAt: null });
});

test('what was asked about a call that never came is forgotten, and a call that was lost is cancelled', async () => {
  const [never, lost] = [await gateway.ask({ order: 'never' }), await gateway.ask({ order: 'lost' })];
  const { redis, keys } = gateway.stores;
  await redis.del(keys.invocation(never.job_id));
  await sweep(11_000);
  expect(await rowOf(never.input)).toBeNull();
  expect(await rowOf(lost.input)).toMatchObject({ state: 'open' });
  await redis.del(keys.invocation(lost.job_id));
  await inputs.lookAt(lost.input, new Date(Date.now() + 12_000));
  await sweep(13_000);
  expect(await rowOf(lost.input)).toMatchObject({ state: 'cancelled', decidedBy: null });
});

test('an end that is older than the history is forgotten', async () => {
  const { input } = await gateway.ask({ order: 'old' });
  await decide(gateway.boss, input, { action: 'decline' });
  await gateway.stores.database.inputRequest.update({ where: { id: input }, data: { decidedAt: new Date(Date.now() - 91 * 24 * hourMs) } });
  await sweep(0);
  expect(await rowOf(input)).toBeNull();
});

test('a cancel that comes after an approval ends the run, and the approval stays one', async () => {
  const { input, job_id, links } = await gateway.ask({ order: 'stuck' });
  const decision: Decision = { request: input, action: 'accept', by, at: Date.now() };
  expect(await decidedAndDied(job_id, decision)).toBe(true);
  await gateway.asker.delete(links.self);
  expect(await read(gateway.asker, input)).toMatchObject({ state: 'accepted', decided_by: by });
});

test('a cancel of a call at rest is known by its record alone', async () => {
  const { input, job_id, links } = await gateway.ask({ order: 'cancelled' });
  await gateway.asker.delete(links.self);
  expect((await gateway.stores.store.read(job_id))?.decision).toMatchObject({
    request: input,
    action: 'cancel',
    by: `${gateway.tenant.id}/user_001`,
  });
});
