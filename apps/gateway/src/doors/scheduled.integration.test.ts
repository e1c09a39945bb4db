// Calls that are to run later: accepted at once by every door, at rest until their time, then calls like all others.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { acceptedShape, envelopeShape, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { partitionOf, queuedJob } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let user: HttpCaller;
const ran: string[] = [];
const partition = partitionOf('profile');
const dayMs = 86_400_000;

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: ({ head }) => {
      ran.push(String(head.input['order']));
      return { ok: true, data: { made: String(head.input['order']) } };
    },
  });
  user = await gateway.caller();
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

/** What a worker of the domain does once the rest is over. */
async function wake(jobId: string): Promise<string | undefined> {
  const { store } = gateway.stores;
  const record = await store.read(jobId);
  if (!record) throw new Error('There is no such record');
  return (await store.resting.wake(partition, [{ record, job: queuedJob({ ...record, contract: undefined }) }]))[0];
}

const schedule = async (order: string, query = 'delay_ms=3600000', headers = {}, by = user) =>
  by.post(`/tools/test_plain?${query}`, { order }, headers);
const scheduled = async (order: string, query?: string) => (await schedule(order, query)).as(acceptedShape);

describe('a call with a time', () => {
  test('is accepted, rests, and then runs once', async () => {
    const reply = await schedule('later');
    const { job_id, links, rest } = reply.as(acceptedShape);
    expect([reply.status, reply.headers.get('location')]).toEqual([202, `/jobs/${job_id}`]);
    expect(reply.body).toMatchObject({ state: 'resting', tool_name: 'test_plain', rest: { reason: 'scheduled' } });
    expect(Math.abs(Date.parse(rest?.until ?? '') - Date.now() - 3_600_000)).toBeLessThan(5_000);
    expect((await user.get(links.self)).body).toMatchObject({ state: 'resting', rest, result: null, attempts_made: 0, started_at: null });
    expect(ran).not.toContain('later');
    expect([await wake(job_id), await wake(job_id)]).toEqual(['woken', 'late']);
    const ended = (await user.get(`${links.self}?wait=10`)).body;
    expect(ended).toMatchObject({ state: 'completed', rest: null, result: { data: { made: 'later' } } });
    expect(ran.filter((order) => order === 'later')).toHaveLength(1);
  });

  test('takes no time while it rests', async () => {
    const { job_id, links } = await scheduled('measured');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await wake(job_id);
    const { result } = (await user.get(`${links.self}?wait=10`)).as(z.object({ result: envelopeShape }));
    const { queue_ms = Infinity, total_ms = Infinity } = result.metadata?.performance ?? {};
    expect(Math.max(queue_ms, total_ms)).toBeLessThan(1_000);
  });

  test('takes it as a time of the day too, by the body and by the query, and one that is over is now', async () => {
    const at = new Date(Date.now() + dayMs).toISOString();
    const inBody = await user.post('/tools/call', { name: 'test_plain', arguments: { order: 'body' }, options: { run_at: at } });
    expect([inBody.status, inBody.as(acceptedShape).rest?.until]).toEqual([202, at]);
    expect((await scheduled('query', `run_at=${encodeURIComponent(at)}`)).rest?.until).toBe(at);
    const { rest } = await scheduled('past', 'run_at=2020-01-01T00:00:00%2B02:00');
    expect(Math.abs(Date.parse(rest?.until ?? '') - Date.now())).toBeLessThan(5_000);
  });

  test.each([
    ['delay_ms=-1', 'delay_ms'],
    ['delay_ms=soon', 'delay_ms'],
    ['delay_ms=1.5', 'delay_ms'],
    [`delay_ms=${367 * dayMs}`, 'delay_ms'],
    ['run_at=tomorrow', 'run_at'],
    ['run_at=2030-01-01T00:00:00', 'run_at'],
    ['run_at=2999-01-01T00:00:00Z', 'run_at'],
    ['run_at=2027-01-01T00:00:00Z&delay_ms=1', 'delay_ms'],
  ])('%s is refused, and the field is named', async (query, field) => {
    const reply = await schedule('wrong', query);
    expect([reply.status, reply.as(envelopeShape).error?.details?.map(({ path }) => path)]).toEqual([400, [field]]);
  });

  test('is checked by the contract and by the rights of its caller when it is made', async () => {
    expect((await user.post('/tools/test_plain?delay_ms=1000', { order: 7 })).status).toBe(400);
    expect((await user.post('/tools/nothing?delay_ms=1000', {})).status).toBe(404);
  });

  test('neither joins a run nor takes an answer from the cache', async () => {
    await user.post('/tools/test_cached', { order: 'kept' });
    const reply = await user.post('/tools/test_cached?delay_ms=60000', { order: 'kept' });
    expect(reply.status).toBe(202);
    const shared = await Promise.all([1, 2].map(async () => user.post('/tools/test_shared?delay_ms=60000', { order: 'one' })));
    expect(new Set(shared.map((one) => one.as(acceptedShape).job_id)).size).toBe(2);
  });

  test('is made once with an idempotency key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    const replies = await Promise.all([1, 2, 3].map(async () => schedule('keyed', 'delay_ms=60000', key)));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(replies.map((one) => one.as(acceptedShape).job_id)).size).toBe(1);
    expect((await schedule('other', 'delay_ms=60000', key)).status).toBe(422);
  });

  test('is found and cancelled by its caller alone, and then does not run', async () => {
    const { job_id, links } = await scheduled('unwanted');
    await using elsewhere = await Tenant.create(givenStores().databaseUrl);
    const strangers = [await gateway.tenant.key({ userId: 'user_other' }), await elsewhere.key()];
    for (const key of strangers) {
      const stranger = new HttpCaller(gateway.url, key);
      expect([(await stranger.get(links.self)).status, (await stranger.delete(links.self)).status]).toEqual([404, 404]);
    }
    const replies = await Promise.all([1, 2, 3].map(async () => user.delete(links.self)));
    expect(replies.map(({ status }) => status)).toContain(202);
    expect((await user.get(links.self)).body).toMatchObject({ state: 'cancelled', rest: null, result: { error: { code: 'CANCELLED' } } });
    expect(await wake(job_id)).toBe('late');
    expect(ran).not.toContain('unwanted');
  });

  test('is listed while it rests', async () => {
    const { job_id } = await scheduled('listed');
    const { jobs } = (await user.get('/jobs?state=resting&limit=100')).as(
      z.object({ jobs: z.array(z.looseObject({ job_id: z.string() })) }),
    );
    expect(jobs.find((one) => one.job_id === job_id)).toMatchObject({ rest: { reason: 'scheduled' } });
  });
});

describe('other doors', () => {
  test('a stream tells the rest and its end, and replays both', async () => {
    const stream = await user.stream('/tools/test_plain/sse?delay_ms=3600000', { method: 'POST', json: { order: 'streamed' } });
    const first = await stream.next();
    const resting = await stream.next();
    expect([first?.event, resting?.event]).toEqual(['tool_progress', 'tool_resting']);
    expect(resting?.data).toMatchObject({ reason: 'scheduled', until: expect.any(String), metadata: { tool_name: 'test_plain' } });
    const jobId = `inv_${/^evt_(.*)_\d+$/.exec(resting?.id ?? '')?.[1]}`;
    await wake(jobId);
    const rest = await stream.rest();
    expect(rest.map(({ event }) => event)).toEqual(['tool_resumed', 'tool_result']);
    await using again = await user.stream(`/jobs/${jobId}/events`);
    expect((await again.rest()).map(({ event }) => event)).toEqual(['tool_progress', 'tool_resting', 'tool_resumed', 'tool_result']);
    await using after = await user.stream(`/jobs/${jobId}/events`, { headers: { 'last-event-id': resting?.id ?? '' } });
    expect(await after.rest()).toEqual(rest);
  });

  test('a batch answers the calls that run, and says which rest', async () => {
    const calls = [
      { id: 1, name: 'test_plain', arguments: { order: 'now' } },
      { id: 2, name: 'test_plain', arguments: { order: 'then' }, options: { delay_ms: 60_000 } },
      { id: 3, name: 'test_plain', arguments: { order: 'wrong' }, options: { delay_ms: 'soon' } },
    ];
    expect((await user.post('/tools/batch', { calls })).body).toMatchObject({
      results: [
        { id: 1, success: true },
        { id: 2, state: 'resting', job_id: expect.any(String), rest: { reason: 'scheduled' } },
        { id: 3, success: false, error: { code: 'INVALID_PARAMS', details: [{ path: 'delay_ms' }] } },
      ],
    });
  });

  test('a poll that waits goes on through the rest', async () => {
    const { job_id, links } = await scheduled('polled');
    const waiting = user.get(`${links.self}?wait=20`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await wake(job_id);
    expect((await waiting).body).toMatchObject({ state: 'completed' });
  });

  test('a native route and a replay take a time too', async () => {
    const native = await user.post('/aurawell/user_profile_lookup?delay_ms=60000', { user_id: 'user_001' });
    expect([native.status, native.as(acceptedShape).state]).toEqual([202, 'resting']);
    const { job_id, links } = await scheduled('origin');
    await wake(job_id);
    await user.get(`${links.self}?wait=10`);
    const replay = await user.post(`${links.self}/replay?delay_ms=60000`, {});
    expect([replay.status, replay.as(z.looseObject({ state: z.string() })).state]).toEqual([202, 'resting']);
  });

  test('a client of MCP is told where the call is', async () => {
    const call = { name: 'test_plain', arguments: { order: 'mcp' }, _meta: { 'invoq/options': { delay_ms: 60_000 } } };
    const reply = await user.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    );
    expect(reply.text).toContain('resting');
    expect(reply.text).toContain('/jobs/inv_profile_');
  });
});
