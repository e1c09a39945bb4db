import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelopeShape, eventually, givenStores, HttpCaller, jobListShape, startTimeoutMs, Tenant } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let user: HttpCaller;
const held = new Map<string, () => void>();

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ jobId, head, attempt, store }) => {
      const order = String(head.input['order']);
      if (!order.startsWith('held')) return { ok: true, data: { made: order } };
      await store.attempts.progress(jobId, attempt, { kind: 'progress', progress: 40, message: 'on the way' });
      await new Promise<void>((resolve) => held.set(order, resolve));
      return { ok: true, data: { made: order } };
    },
  });
  user = await gateway.caller();
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

/** Starts a call in the background. @returns its path */
async function start(order: string, caller = user): Promise<string> {
  return (await caller.post('/tools/test_plain', { order }, { prefer: 'respond-async' })).headers.get('location') ?? '';
}

const ended = async (order: string) => {
  const path = await start(order);
  await user.get(`${path}?wait=10`);
  return path;
};

describe('polling a job', () => {
  test('shows a running job with its progress and without a result', async () => {
    const path = await start('held-poll');
    await eventually(() => held.has('held-poll'));
    expect((await user.get(path)).body).toMatchObject({
      state: 'active',
      progress: { progress: 40, message: 'on the way' },
      attempts_made: 1,
      max_attempts: 3,
      started_at: expect.any(String),
      finished_at: null,
      result: null,
      links: { self: path, events: `${path}/events`, cancel: path },
    });
    held.get('held-poll')?.();
  });

  test('waits for the end, and answers what there is when the time is over', async () => {
    const path = await start('held-wait');
    await eventually(() => held.has('held-wait'));
    expect((await user.get(`${path}?wait=0.05`)).body).toMatchObject({ state: 'active', result: null });
    const waiting = user.get(`${path}?wait=30`);
    held.get('held-wait')?.();
    expect((await waiting).body).toMatchObject({
      state: 'completed',
      result: { data: { made: 'held-wait' } },
      finished_at: expect.any(String),
    });
  });

  test.each(['-1', 'soon', '1e9', '1,5', ''])('refuses wait=%s', async (wait) => {
    const reply = await user.get(`${await ended('a')}?wait=${wait}`);
    expect(reply.as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'wait' }] });
  });

  test('of another user, of another tenant and of no job is the same 404', async () => {
    const path = await ended('a');
    const strangers = [await gateway.tenant.key({ userId: 'user_other' }), await gateway.tenant.key({ userId: null })];
    await using elsewhere = await Tenant.create(givenStores().databaseUrl);
    const replies = await Promise.all([...strangers, await elsewhere.key()].map((key) => new HttpCaller(gateway.url, key).get(path)));
    const unknown = await user.get(`/jobs/inv_profile_${'0'.repeat(32)}`);
    for (const reply of [...replies, unknown])
      expect({ status: reply.status, message: reply.as(envelopeShape).error?.message }).toEqual({
        status: 404,
        message: unknown.as(envelopeShape).error?.message,
      });
  });
});

describe('the events of a job', () => {
  test('are replayed, and resumed after an id by header or query', async () => {
    const path = await ended('replayed');
    await using whole = await user.stream(`${path}/events`);
    const events = await whole.rest();
    expect(events.map(({ event }) => event)).toEqual(['tool_progress', 'tool_result']);
    await using byHeader = await user.stream(`${path}/events`, { headers: { 'last-event-id': events[0]?.id ?? '' } });
    expect(await byHeader.rest()).toEqual(events.slice(1));
    await using byQuery = await user.stream(`${path}/events?lastEventId=${events[0]?.id}`);
    expect(await byQuery.rest()).toEqual(events.slice(1));
    expect((await user.get(`${path}/events?lastEventId=${events.at(-1)?.id}`)).status).toBe(204);
  });

  test('of one job are not found by an id of another', async () => {
    const [one, two] = [await ended('one'), await ended('two')];
    await using stream = await user.stream(`${one}/events`);
    const [event] = await stream.rest();
    const reply = await user.get(`${two}/events?lastEventId=${event?.id}`);
    expect(reply.as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'Last-Event-ID' }] });
  });

  test('have the form of the agent for chat turns alone', async () => {
    const reply = await user.get(`${await ended('a')}/events?format=agent`);
    expect(reply.as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'format' }] });
  });
});

describe('cancelling a job', () => {
  test('ends it, and its worker can no longer', async () => {
    const path = await start('held-cancel');
    await eventually(() => held.has('held-cancel'));
    const reply = await user.delete(path);
    expect(reply.status).toBe(202);
    expect(reply.body).toMatchObject({ state: 'cancelled', tool_name: 'test_plain' });
    held.get('held-cancel')?.();
    expect((await user.get(`${path}?wait=5`)).body).toMatchObject({
      state: 'cancelled',
      result: { success: false, error: { code: 'CANCELLED', message: 'The call was cancelled by its caller' } },
    });
  });

  test('is refused for a job that has ended, also for one that was cancelled', async () => {
    const done = await ended('done');
    expect((await user.delete(done)).as(envelopeShape).error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('completed'),
    });
    const path = await start('held-twice');
    await user.delete(path);
    expect((await user.delete(path)).as(envelopeShape).error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('cancelled'),
    });
  });

  test('leaves it to those who have joined it, where that is asked', async () => {
    const shared = async () => (await user.post('/tools/test_shared', { order: 'held-shared' }, { prefer: 'respond-async' })).headers;
    const path = (await shared()).get('location') ?? '';
    await eventually(() => held.has('held-shared'));
    expect((await user.delete(`${path}?unless_joined=maybe`)).as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS' });
    expect((await shared()).get('location')).toBe(path);
    const reply = await user.delete(`${path}?unless_joined=true`);
    expect([reply.status, reply.body]).toEqual([202, expect.objectContaining({ state: 'active' })]);
    held.get('held-shared')?.();
    expect((await user.get(`${path}?wait=5`)).body).toMatchObject({ state: 'completed' });
    const alone = await start('held-alone');
    expect((await user.delete(`${alone}?unless_joined=true`)).body).toMatchObject({ state: 'cancelled' });
  });

  test('by several at the same time is accepted once or more, and the job ends once', async () => {
    const path = await start('held-race');
    const replies = await Promise.all([1, 2, 3, 4].map(() => user.delete(path)));
    expect(replies.map(({ status }) => status)).toContain(202);
    expect(replies.every(({ status }) => status === 202 || status === 409)).toBe(true);
    await using stream = await user.stream(`${path}/events`);
    expect((await stream.rest()).filter(({ event }) => event === 'tool_error')).toHaveLength(1);
  });

  test('of a foreign job is not found', async () => {
    const path = await start('held-foreign');
    const stranger = await gateway.caller({ userId: 'user_other' });
    expect((await stranger.delete(path)).status).toBe(404);
    expect((await user.delete(path)).status).toBe(202);
  });
});

describe('the list of jobs', () => {
  test('is paged by a cursor that is bound to its query and its reader', async () => {
    const caller = await gateway.caller({ userId: 'user_other' });
    const made: string[] = [];
    for (const order of ['1', '2', '3', '4', '5']) made.unshift(await start(order, caller));
    const page = async (query: string, by = caller) => by.get(`/jobs?limit=2${query}`);
    const first = (await page('')).as(jobListShape);
    expect(first.pagination.has_more).toBe(true);
    const cursor = first.pagination.next_cursor ?? '';
    const second = (await page(`&cursor=${cursor}`)).as(jobListShape);
    const third = (await page(`&cursor=${second.pagination.next_cursor}`)).as(jobListShape);
    const ids = [first, second, third].flatMap(({ jobs }) => jobs.map(({ job_id }) => `/jobs/${job_id}`));
    expect(ids.toSorted()).toEqual(made.toSorted());
    expect(third.pagination).toEqual({ has_more: false, next_cursor: null });
    for (const [query, by] of [
      [`&cursor=${cursor}&tool=test_plain`, caller],
      [`&cursor=${cursor}`, user],
      [`&cursor=${cursor.slice(0, -2)}`, caller],
      ['&cursor=nonsense', caller],
    ] as const)
      expect((await page(query, by)).as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'cursor' }] });
  });

  test.each(['limit=0', 'limit=101', 'limit=ten', 'state=done'])('refuses %s, and names the parameter', async (query) => {
    const [name] = query.split('=');
    expect((await user.get(`/jobs?${query}`)).as(envelopeShape).error).toMatchObject({ details: [{ path: name }] });
  });

  test('shows results without their secrets and is filtered by state and tool', async () => {
    await ended('listed');
    const { jobs } = (await user.get('/jobs?state=completed&tool=test_plain&limit=100')).as(jobListShape);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) expect(job).toMatchObject({ state: 'completed', tool_name: 'test_plain', result: { success: true } });
  });
});
