import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { batch, batchPage, inputRequestPage, userScopes, type Batch } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller, type Reply } from '#lib/testing';
import { ended, orderOf, postLines, resultsOf, shownOf, startBatching, started, type Batching } from './test-batches.js';

let gateway: Batching;
let other: Batching;
let caller: HttpCaller;

beforeAll(async () => {
  gateway = await startBatching();
  other = await startBatching(gateway.namespace);
  caller = await gateway.caller({});
}, startTimeoutMs);

afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const codeOf = (reply: Reply) => reply.as(z.object({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;
const timesMade = (order: string): number => gateway.made.filter((one) => one === order).length;

describe('A batch', () => {
  test('of JSON is called, and its results are in the order of its calls', async () => {
    const calls = Array.from({ length: 300 }, (_, n) => orderOf(`j${n}`, { id: `call ${n}` }));
    const reply = await caller.post('/batches', { calls });
    const id = await started(Promise.resolve(reply));
    expect(reply.headers.get('location')).toBe(`/batches/${id}`);
    expect(await ended(caller, id)).toMatchObject({ state: 'completed', total: 300, waiting: 0, active: 0, completed: 300, failed: 0 });
    const results = await resultsOf(caller, id);
    expect(results.map(({ id: one, index }) => [one, index])).toEqual(calls.map((_, n) => [`call ${n}`, n]));
    expect(results.every(({ success, index, data }) => success && z.object({ made: z.string() }).parse(data).made === `j${index}`)).toBe(
      true,
    );
    expect(calls.every((_, n) => timesMade(`j${n}`) === 1)).toBe(true);
  });

  test('of NDJSON has a result for each line, also for those that are wrong', async () => {
    const id = await started(
      postLines(caller, [
        orderOf('n0', { id: 1 }),
        '{"name": "test_plain", ',
        { id: 'no name' },
        '',
        orderOf('bad', { options: { run_at: 'soon' } }),
        { name: 'no_such_tool', arguments: {} },
        { name: 'test_plain', arguments: { order: 5 } },
        orderOf('bad'),
        '[1]',
        orderOf('n8', { more: true }),
        orderOf('n9'),
      ]),
    );
    expect(await ended(caller, id)).toMatchObject({ state: 'completed', total: 10, completed: 2, failed: 8 });
    const results = await resultsOf(caller, id);
    expect(results.map(({ error }) => error?.code ?? 'ok')).toEqual([
      'ok',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'TOOL_NOT_FOUND',
      'INVALID_PARAMS',
      'SOLD_OUT',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'ok',
    ]);
    expect(results.map(({ id: one }) => one).slice(0, 3)).toEqual([1, null, 'no name']);
    expect(results[1]?.error?.message).toContain('The line is not valid JSON');
  });

  test.each([
    ['no calls', { calls: [] }, "Parameter 'calls' must have at least 1 call"],
    ['another field', { calls: [orderOf('x')], retries: 3 }, 'retries'],
    ['no list', { calls: 'all' }, 'calls'],
    ['too many', { calls: Array.from({ length: 10_001 }, () => orderOf('many')) }, 'must be at most 10000'],
  ])('with %s is refused whole', async (_, body, message) => {
    const reply = await caller.post('/batches', body);
    expect([reply.status, codeOf(reply).code]).toEqual([400, 'INVALID_PARAMS']);
    expect(codeOf(reply).message).toContain(message);
    expect(gateway.made).not.toContain('many');
  });

  test('of another form is refused', async () => {
    const reply = await caller.request('/batches', { method: 'POST', raw: 'name,order', headers: { 'content-type': 'text/csv' } });
    expect(reply.status).toBe(415);
    const ended = await caller.request('/batches', {
      method: 'POST',
      raw: '{"calls":[{"name":"test_plain"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(ended.status).toBe(400);
    // The name that a streamed body has inside is nobody's.
    const unread = { 'content-type': 'application/x-invoq-unread' };
    expect((await caller.request('/tools/test_plain', { method: 'POST', raw: '{}', headers: unread })).status).toBe(415);
  });

  test('is found by its owner alone', async () => {
    const id = await started(postLines(caller, [orderOf('mine')]));
    await ended(caller, id);
    const stranger = await gateway.caller({ userId: 'user_002' });
    for (const path of ['', '/results', '/events']) expect((await stranger.get(`/batches/${id}${path}`)).status).toBe(404);
    expect((await stranger.delete(`/batches/${id}`)).status).toBe(404);
    expect((await stranger.get('/batches')).as(batchPage).batches).toEqual([]);
    const admin = await gateway.caller({ userId: null, scopes: ['tenant:admin'] });
    expect((await admin.get(`/batches/${id}`)).status).toBe(200);
    expect((await admin.get(`/batches/${id}/results`)).status).toBe(403);
    for (const path of ['x', randomUUID(), '%27', 'X'.repeat(200)]) expect((await caller.get(`/batches/${path}`)).status).toBe(404);
  });

  test('is listed, newest first, page by page', async () => {
    const lister = await gateway.caller({ userId: 'user_lister' });
    const ids: string[] = [];
    for (const order of ['l1', 'l2', 'l3']) ids.unshift(await started(postLines(lister, [orderOf(order)])));
    const first = (await lister.get('/batches?limit=2')).as(batchPage);
    const rest = (await lister.get(`/batches?limit=2&cursor=${first.pagination.next_cursor}`)).as(batchPage);
    expect([...first.batches, ...rest.batches].map(({ batch_id }) => batch_id)).toEqual(ids);
    expect(rest.pagination).toEqual({ has_more: false, next_cursor: null });
    expect((await caller.get(`/batches?cursor=${first.pagination.next_cursor}`)).status).toBe(400);
  });
});

describe('A key', () => {
  test('holds for the whole batch', async () => {
    const key = { 'idempotency-key': `b-${randomUUID()}` };
    const lines = [orderOf('once 1'), orderOf('once 2')];
    const id = await started(postLines(caller, lines, key));
    const again = await postLines(caller.at(other.url), lines, key);
    expect([await started(Promise.resolve(again)), again.headers.get('idempotent-replayed')]).toEqual([id, 'true']);
    const changed = await postLines(caller, [orderOf('once 1')], key);
    expect([changed.status, codeOf(changed).code]).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
    await ended(caller, id);
    expect([timesMade('once 1'), timesMade('once 2')]).toEqual([1, 1]);
    const stranger = await gateway.caller({ userId: 'user_002' });
    expect(await started(postLines(stranger, lines, key))).not.toBe(id);
  });

  test('makes one batch of requests at the same time, to two gateways', async () => {
    const key = { 'idempotency-key': `b-${randomUUID()}` };
    const order = `same ${randomUUID()}`;
    const post = async (by: HttpCaller): Promise<Reply> => postLines(by, [orderOf(order)], key);
    const replies = await Promise.all([caller, caller.at(other.url), caller, caller.at(other.url)].map(post));
    expect(replies.every(({ status }) => status === 202 || status === 409)).toBe(true);
    const id = await eventually(async () => {
      const reply = await post(caller);
      return reply.status === 202 && started(Promise.resolve(reply));
    });
    await ended(caller, id);
    expect(timesMade(order)).toBe(1);
    const { batches } = (await caller.get('/batches?limit=100')).as(batchPage);
    const made = batches.filter(({ batch_id }) => batch_id === id);
    expect(made.length).toBe(1);
  });
});

describe('Results', () => {
  test('end before the first call that has not ended, and go on after a place', async () => {
    const id = await started(postLines(caller, [orderOf('r0'), orderOf('r1'), orderOf('open r2'), orderOf('r3')]));
    await eventually(async () => (await shownOf(caller, id)).completed === 3);
    expect((await resultsOf(caller, id)).map(({ index }) => index)).toEqual([0, 1]);
    expect((await resultsOf(caller, id, '?after=0')).map(({ index }) => index)).toEqual([1]);
    const waiting = resultsOf(caller, id, '?after=1&wait=20');
    expect((await caller.delete(`/batches/${id}`)).status).toBe(202);
    const results = await waiting;
    expect(results.map(({ index, error }) => [index, error?.code ?? 'ok'])).toEqual([
      [2, 'CANCELLED'],
      [3, 'ok'],
    ]);
    expect(await ended(caller, id)).toMatchObject({
      state: 'cancelled',
      completed: 3,
      cancelled: 1,
      reason: 'The batch was cancelled by its caller',
    });
    for (const query of ['?wait=61', '?after=x', '?after=-2', '?from=1'])
      expect((await caller.get(`/batches/${id}/results${query}`)).status).toBe(400);
  });

  test('of a call that is kept no more say so', async () => {
    const id = await started(postLines(caller, [orderOf('gone')]));
    await ended(caller, id);
    const [line] = await gateway.stores.database.batchLine.findMany({ where: { batchId: id } });
    await gateway.stores.store.forget([line?.jobId ?? '']);
    expect((await resultsOf(caller, id))[0]?.error).toMatchObject({
      code: 'RESULT_CONSUMED',
      message: 'The call ended as completed; its result was kept for 24 hours',
    });
  });
});

test('Its events tell the counts until it has ended', async () => {
  const id = await started(postLines(caller, [orderOf('e0'), orderOf('open e1')]));
  const stream = await caller.stream(`/batches/${id}/events`);
  const seen: Batch[] = [];
  let isCancelled = false;
  for (let next = await stream.next(); next; next = await stream.next()) {
    expect(next.event).toBe('batch');
    const shown = batch.parse(next.data);
    seen.push(shown);
    if (shown.completed === 1 && shown.active === 1 && !isCancelled) {
      isCancelled = true;
      await caller.at(other.url).delete(`/batches/${id}`);
    }
  }
  expect(seen.at(-1)).toMatchObject({ state: 'cancelled', completed: 1, cancelled: 1, active: 0 });
  expect(
    seen.every(
      ({ total, waiting, active, resting, completed, failed, cancelled }) =>
        total === waiting + active + resting + completed + failed + cancelled,
    ),
  ).toBe(true);
});

describe('A batch that is cancelled', () => {
  test('calls nothing more, and what runs is cancelled', async () => {
    const id = await started(
      postLines(
        caller,
        Array.from({ length: 600 }, (_, n) => orderOf(`open c${n}`)),
      ),
    );
    await eventually(async () => (await shownOf(caller, id)).active > 0);
    expect((await caller.at(other.url).delete(`/batches/${id}`)).status).toBe(202);
    expect(await ended(caller, id)).toMatchObject({ state: 'cancelled', cancelled: 600, waiting: 0, active: 0 });
    const again = await caller.delete(`/batches/${id}`);
    expect([again.status, codeOf(again).code]).toEqual([409, 'CONFLICT']);
    const results = await resultsOf(caller, id);
    expect([results.length, new Set(results.map(({ error }) => error?.code))]).toEqual([600, new Set(['CANCELLED'])]);
  });

  test('cancels calls at rest', async () => {
    const id = await started(postLines(caller, [orderOf('later', { options: { delay_ms: 3_600_000 } }), orderOf('now')]));
    await eventually(async () => {
      const { resting, completed } = await shownOf(caller, id);
      return resting === 1 && completed === 1;
    });
    await caller.delete(`/batches/${id}`);
    expect(await ended(caller, id)).toMatchObject({ state: 'cancelled', cancelled: 1, completed: 1, resting: 0 });
    expect(timesMade('later')).toBe(0);
  });
});

test('Calls at rest end with their batch, when they do', async () => {
  const asker = await gateway.caller({ userId: 'user_asker' });
  const id = await started(postLines(asker, [orderOf('at once'), { ...orderOf('asked'), name: 'test_approved' }]));
  await eventually(async () => (await shownOf(asker, id)).resting === 1);
  const boss = await gateway.caller({ userId: 'boss', scopes: [...userScopes, 'approvals'] });
  const { input_requests } = (await boss.get('/input-requests?state=open&scope=tenant')).as(inputRequestPage);
  expect((await boss.post(`/input-requests/${input_requests[0]?.id}`, { action: 'accept' })).status).toBe(200);
  expect(await ended(asker, id)).toMatchObject({ state: 'completed', completed: 2, resting: 0 });
  expect([timesMade('at once'), timesMade('asked')]).toEqual([1, 1]);
});

test('A batch stops when the key of its maker ends, and says why', async () => {
  const maker = await gateway.caller({ userId: 'user_maker' });
  const id = await started(
    postLines(
      maker,
      Array.from({ length: 400 }, (_, n) => orderOf(`open k${n}`)),
    ),
  );
  await eventually(async () => (await shownOf(maker, id)).active > 0);
  const row = await gateway.stores.database.batch.findUniqueOrThrow({ where: { id } });
  const { credentialId } = z.object({ credentialId: z.string() }).parse(row.maker);
  await gateway.stores.database.apiKey.update({ where: { id: credentialId }, data: { revokedAt: new Date() } });
  const reader = await gateway.caller({ userId: 'user_maker' });
  // The calls that run have begun with its rights; when they end, the next ones do not begin.
  await eventually(
    async () => {
      const open = await gateway.stores.database.batchLine.findMany({ where: { batchId: id, state: 'called' }, take: 5 });
      for (const { jobId } of open) await reader.delete(`/jobs/${jobId}`);
      return (await shownOf(reader, id)).finished_at !== null;
    },
    { withinMs: 20_000 },
  );
  const shown = await shownOf(reader, id);
  expect([shown.state, shown.cancelled]).toEqual(['cancelled', 400]);
  expect(shown.reason).toMatch(/revoked/);
});

test('A batch that has ended is told to the webhooks of its tenant, once', async () => {
  const admin = await gateway.caller({ userId: null, scopes: ['*'] });
  const made = await admin.post('/webhooks', { url: 'https://receiver.example/hook', events: ['batch.completed'] });
  expect(made.status).toBe(201);
  const id = await started(postLines(caller, [orderOf('told')]));
  await ended(caller, id);
  const { webhookDelivery } = gateway.stores.database;
  const told = await webhookDelivery.findMany({ where: { type: 'batch.completed', body: { contains: id } } });
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0]?.body ?? '')).toMatchObject({
    type: 'batch.completed',
    data: { batch_id: id, state: 'completed', completed: 1, total: 1 },
  });
  await admin.delete(`/webhooks/${made.as(z.looseObject({ id: z.string() })).id}`);
});

test('A batch begins no faster than it is asked to', async () => {
  const reply = await caller.post('/batches', { calls: Array.from({ length: 12 }, (_, n) => orderOf(`slow ${n}`)), rate_per_s: 10 });
  const id = await started(Promise.resolve(reply));
  const startedAt = performance.now();
  await ended(caller, id);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  expect((await caller.post('/batches', { calls: [orderOf('x')], rate_per_s: 0 })).status).toBe(400);
});
