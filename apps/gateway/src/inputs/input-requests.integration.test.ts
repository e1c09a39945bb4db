// Calls that rest until a person approves them: asked, found, decided by the right people, once.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { historyPage, inputRequestPage, principal } from '#lib/contracts';
import { acceptedShape, envelopeShape, eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { approverScopes, decide, expire, read, startDeciding, type Deciding } from './test-inputs.js';

let gateway: Deciding;

beforeAll(async () => {
  gateway = await startDeciding();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const ended = async (self: string) => (await gateway.asker.get(`${self}?wait=10`)).body;
const ranWith = (order: string) => gateway.ran.filter((input) => input['order'] === order);

describe('a call that needs an approval', () => {
  test('rests, says what is asked, and runs once it is accepted', async () => {
    const { asker, boss } = gateway;
    const { reply, input, job_id, links, rest } = await gateway.ask({ order: 'refund', card: '4242' });
    expect([reply.status, rest?.reason]).toEqual([202, 'approval']);
    expect((await asker.get(links.self)).body).toMatchObject({ state: 'resting', rest: { reason: 'approval', input_request: input } });
    expect(await read(asker, input)).toEqual({
      id: input,
      kind: 'approval',
      job_id,
      tool_name: 'test_approved',
      message: 'May this be made?',
      schema: null,
      arguments: { order: 'refund', card: '[redacted]' },
      requested_by: `${gateway.tenant.id}/user_001`,
      created_at: rest?.since,
      expires_at: rest?.until,
      state: 'open',
      decided_by: null,
      decided_at: null,
      reason: null,
    });
    expect(ranWith('refund')).toEqual([]);
    const decided = await decide(boss, input, { action: 'accept', reason: 'fair' });
    expect([decided.status, decided.body]).toMatchObject([
      200,
      { state: 'accepted', decided_by: `${gateway.tenant.id}/boss`, reason: 'fair' },
    ]);
    expect(await ended(links.self)).toMatchObject({ state: 'completed', result: { data: { made: 'refund' } } });
    expect(ranWith('refund')).toEqual([{ order: 'refund', card: '4242' }]);
    expect(await read(asker, input)).toEqual(decided.body);
  });

  test('with a time is approved first, and rests until then', async () => {
    const { asker, boss } = gateway;
    const ask = async (order: string, delayMs: number) => {
      const accepted = (await asker.post(`/tools/test_approved?delay_ms=${delayMs}`, { order })).as(acceptedShape);
      return { ...accepted, input: accepted.rest?.input_request ?? '' };
    };
    const { input, links } = await ask('later', 3_600_000);
    expect((await asker.get(links.self)).body).toMatchObject({ state: 'resting', rest: { reason: 'approval' } });
    expect((await decide(boss, input, { action: 'accept' })).status).toBe(200);
    expect((await asker.get(links.self)).body).toMatchObject({ state: 'resting', rest: { reason: 'scheduled' } });
    expect(await read(asker, input)).toMatchObject({ state: 'accepted' });
    expect((await decide(boss, input, { action: 'decline' })).status).toBe(409);
    expect((await asker.delete(links.self)).status).toBe(202);
    expect(await ended(links.self)).toMatchObject({ state: 'cancelled' });
    expect(ranWith('later')).toEqual([]);
    const over = await ask('over', 1);
    await decide(boss, over.input, { action: 'accept' });
    expect(await ended(over.links.self)).toMatchObject({ state: 'completed' });
    expect((await asker.post('/tools/test_approved?delay_ms=1&run_at=2030-01-01T00:00:00Z', { order: 'both' })).status).toBe(400);
  });

  test('does not need one where its rule says so', async () => {
    expect((await gateway.asker.post('/tools/test_approved', { order: 'free' })).body).toMatchObject({ success: true });
  });

  test('ends as declined, with the reason', async () => {
    const { input, links } = await gateway.ask({ order: 'declined' });
    expect((await decide(gateway.boss, input, { action: 'decline', reason: 'too dear' })).body).toMatchObject({ state: 'declined' });
    const error = { code: 'PERMISSION_DENIED', native_code: 'DECLINED', retryable: false, reason: 'too dear' };
    expect(await ended(links.self)).toMatchObject({ state: 'failed', rest: null, result: { error } });
    expect(ranWith('declined')).toEqual([]);
  });

  test('is cancelled by its caller, there or at the job', async () => {
    const [first, second] = [await gateway.ask({ order: 'cancel' }), await gateway.ask({ order: 'cancel' })];
    expect((await decide(gateway.asker, first.input, { action: 'cancel' })).body).toMatchObject({ state: 'cancelled' });
    expect((await gateway.asker.delete(second.links.self)).status).toBe(202);
    for (const { input, links } of [first, second]) {
      expect(await ended(links.self)).toMatchObject({ state: 'cancelled' });
      expect(await read(gateway.boss, input)).toMatchObject({ state: 'cancelled', decided_by: `${gateway.tenant.id}/user_001` });
      expect((await decide(gateway.boss, input, { action: 'accept' })).status).toBe(409);
    }
    expect(ranWith('cancel')).toEqual([]);
  });

  test('ends with a timeout where nobody decides, and cannot be decided then', async () => {
    const { input, job_id, links } = await gateway.ask({ order: 'late' });
    expect(await expire(gateway, job_id)).toBe('ended');
    expect(await ended(links.self)).toMatchObject({ state: 'failed', result: { error: { code: 'TIMEOUT', native_code: 'NO_DECISION' } } });
    const late = await decide(gateway.boss, input, { action: 'accept' });
    expect([late.status, late.as(envelopeShape).error?.code]).toEqual([410, 'EXPIRED']);
    expect(await read(gateway.boss, input)).toMatchObject({ state: 'expired', decided_by: null });
  });

  test('is past its end by the clock alone', async () => {
    const { input } = await gateway.ask({ order: 'slow' }, 'test_approved_soon');
    await eventually(async () => (await read(gateway.asker, input)).state === 'expired', { what: 'the end' });
    expect((await decide(gateway.boss, input, { action: 'accept' })).status).toBe(410);
    expect(ranWith('slow')).toEqual([]);
  });

  test('is neither answered from the cache nor shared', async () => {
    const [one, two] = await Promise.all([1, 2].map(async () => gateway.ask({ order: 'same' }, 'test_approved_soon')));
    expect(one?.job_id).not.toBe(two?.job_id);
    expect((await decide(gateway.boss, one?.input ?? '', { action: 'accept' })).status).toBe(200);
    expect(await ended(one?.links.self ?? '')).toMatchObject({ state: 'completed' });
    expect((await gateway.ask({ order: 'same' }, 'test_approved_soon')).reply.status).toBe(202);
  });

  test('with an idempotency key is asked about once', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    const post = async (order: string) => gateway.asker.post('/tools/test_approved', { order }, key);
    const replies = await Promise.all([1, 2, 3].map(async () => post('keyed')));
    expect(new Set(replies.map((reply) => reply.as(acceptedShape).job_id)).size).toBe(1);
    expect((await post('other')).status).toBe(422);
    const page = (await gateway.boss.get('/input-requests?scope=tenant&limit=100')).as(inputRequestPage);
    expect(page.input_requests.filter(({ arguments: shown }) => shown?.['order'] === 'keyed')).toHaveLength(1);
    expect(page.input_requests.filter(({ arguments: shown }) => shown?.['order'] === 'other')).toHaveLength(0);
  });
});

describe('who decides', () => {
  test('nobody their own, unless the rule says so', async () => {
    const { boss } = gateway;
    const own = await gateway.ask({ order: 'own' }, 'test_approved', boss);
    expect((await decide(boss, own.input, { action: 'accept' })).status).toBe(403);
    expect((await decide(boss, own.input, { action: 'decline' })).status).toBe(403);
    expect((await boss.get(own.links.self)).body).toMatchObject({ state: 'resting' });
    const allowed = await gateway.ask({ order: 'own' }, 'test_approved_soon', boss);
    expect((await decide(boss, allowed.input, { action: 'accept' })).status).toBe(200);
  });

  test('nobody without the scope, and nobody of another tenant or of none', async () => {
    const { input } = await gateway.ask({ order: 'foreign' });
    const colleague = await gateway.caller({ userId: 'user_other' });
    await using elsewhere = await Tenant.create(givenStores().databaseUrl);
    const stranger = new HttpCaller(gateway.url, await elsewhere.key({ scopes: ['*'] }));
    for (const by of [colleague, stranger]) {
      expect((await by.get(`/input-requests/${input}`)).status).toBe(404);
      expect((await decide(by, input, { action: 'accept' })).status).toBe(404);
      expect((await by.get('/input-requests')).as(inputRequestPage).input_requests).toEqual([]);
    }
    expect((await decide(gateway.asker, input, { action: 'accept' })).status).toBe(403);
    expect((await colleague.get('/input-requests?scope=tenant')).status).toBe(403);
    for (const id of ['nothing', crypto.randomUUID(), '..%2F', `${input}0`])
      expect((await decide(gateway.boss, id, { action: 'accept' })).status).toBe(404);
  });

  test('one of two who decide at once; the other is told how', async () => {
    const { input, links } = await gateway.ask({ order: 'raced' });
    const second = await gateway.caller({ userId: 'second', scopes: approverScopes });
    const replies = await Promise.all([
      decide(gateway.boss, input, { action: 'accept' }),
      decide(second, input, { action: 'decline' }),
      decide(gateway.boss, input, { action: 'accept' }),
    ]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const shown = await read(gateway.asker, input);
    const { error } = replies.find(({ status }) => status === 409)?.as(envelopeShape) ?? {};
    expect(error).toMatchObject({ code: 'CONFLICT', state: shown.state, decided_by: shown.decided_by, decided_at: shown.decided_at });
    expect(await ended(links.self)).toMatchObject({ state: shown.state === 'accepted' ? 'completed' : 'failed' });
  });
});

describe('other parameters', () => {
  test('are checked by the contract, run instead, and are told', async () => {
    const { input, links } = await gateway.ask({ order: 'edit', amount: 50, card: '4242' });
    const edit = async (json: object) => decide(gateway.boss, input, { action: 'accept', content: json });
    expect((await edit({ arguments: { order: 7 } })).status).toBe(400);
    expect((await edit({ arguments: { order: 'edit', more: 1 } })).status).toBe(400);
    expect((await edit({ arguments: { order: '[redacted]' } })).as(envelopeShape).error?.details).toMatchObject([
      { path: 'content.arguments.order' },
    ]);
    expect((await edit({ other: 1 })).status).toBe(400);
    expect((await decide(gateway.boss, input, { action: 'decline', content: {} })).status).toBe(400);
    const accepted = await edit({ arguments: { order: 'edit', amount: 20, card: '[redacted]' } });
    expect(accepted.body).toMatchObject({ state: 'accepted', arguments: { order: 'edit', amount: 20, card: '[redacted]' } });
    const edited_by = `${gateway.tenant.id}/boss`;
    expect(await ended(links.self)).toMatchObject({ input: { amount: 20 }, edited_by });
    const kept = async () => (await gateway.asker.get('/history?tool=test_approved')).as(historyPage).calls;
    const past = await eventually(async () => (await kept()).find(({ job_id }) => links.self.endsWith(job_id)), {
      what: 'the call in the history',
    });
    expect(past).toMatchObject({ edited_by });
    expect((await kept()).filter((one) => one.edited_by !== null)).toHaveLength(1);
    expect(ranWith('edit')).toEqual([{ order: 'edit', amount: 20, card: '4242' }]);
  });
});

describe('lists and the audit', () => {
  test('are by state, kind and tool, newest first, page by page', async () => {
    const tenant = await gateway.caller({ userId: 'lister', scopes: approverScopes });
    const asked = [await gateway.ask({ order: 'a' }), await gateway.ask({ order: 'b' }), await gateway.ask({ order: 'c' })];
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const query = `state=open&kind=approval&tool=test_approved&limit=1${cursor && `&cursor=${cursor}`}`;
      const page = (await tenant.get(`/input-requests?${query}`)).as(inputRequestPage);
      ids.push(...page.input_requests.map(({ id }) => id));
      if (page.pagination.next_cursor === null) break;
      cursor = encodeURIComponent(page.pagination.next_cursor);
    }
    expect(ids.slice(0, 3)).toEqual(asked.map(({ input }) => input).toReversed());
    expect((await gateway.asker.get('/input-requests?kind=question')).body).toMatchObject({ input_requests: [] });
    expect((await gateway.asker.get('/input-requests?state=nothing')).status).toBe(400);
    expect((await gateway.asker.get('/input-requests?cursor=x')).status).toBe(400);
  });

  test('have every decision, with whose it was', async () => {
    const { input } = await gateway.ask({ order: 'audited', card: '4242' });
    await decide(gateway.boss, input, { action: 'accept', content: { arguments: { order: 'audited', amount: 1 } } });
    const auditor = await gateway.caller({ userId: 'auditor', scopes: ['*'] });
    const page = (await auditor.get(`/audit?action=input_request.update&subject=${input}`)).as(
      z.looseObject({ events: z.array(z.looseObject({})) }),
    );
    expect(page.events).toMatchObject([
      { actor: `${gateway.tenant.id}/boss`, facts: { state: 'accepted', edited: true, tool: 'test_approved' } },
    ]);
    expect(JSON.stringify(page)).not.toContain('4242');
    expect(principal({ tenantId: gateway.tenant.id, userId: 'boss', credentialId: '' })).toBe(`${gateway.tenant.id}/boss`);
  });
});
