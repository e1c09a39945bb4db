import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { replayedCall, type ToolError } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

const soldOut: ToolError = { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', message: 'none left' };
const job = z.looseObject({
  job_id: z.string(),
  state: z.string(),
  input: z.record(z.string(), z.unknown()).nullable(),
  input_state: z.string(),
  replay_of: z.string().nullable(),
});

let gateway: TestGateway;
let user: HttpCaller;
let reader: HttpCaller;
let other: HttpCaller;
let admin: HttpCaller;
let ran: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: ({ head }) => {
      const order = String(head.input['order']);
      ran.push(order);
      return order === 'gone' ? { ok: false, error: soldOut } : { ok: true, data: { made: order } };
    },
  });
  [user, reader] = [await gateway.caller(), await gateway.caller({ scopes: ['tools:read'] })];
  [other, admin] = [await gateway.caller({ userId: 'user_other' }), await gateway.caller({ userId: null, scopes: ['*'] })];
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function origin(input: object, tool = 'test_plain', caller = user): Promise<string> {
  const path = (await caller.post(`/tools/${tool}`, input, { prefer: 'respond-async' })).headers.get('location') ?? '';
  await caller.get(`${path}?wait=10`);
  return path;
}
const replay = async (path: string, body: object = {}, caller = user, headers = {}) => caller.post(`${path}/replay`, body, headers);
const read = async (path: string, caller = user) => (await caller.get(`${path}?wait=10`)).as(job);

describe('A replay', () => {
  test('is a new job with the parameters of its origin, which it names', async () => {
    const path = await origin({ order: 'gone' });
    const answer = await replay(path);
    const { job_id, replay_of } = answer.as(replayedCall);
    expect([answer.status, answer.headers.get('location'), replay_of]).toEqual([202, `/jobs/${job_id}`, path.replace('/jobs/', '')]);
    expect(job_id).not.toBe(replay_of);
    expect(await read(`/jobs/${job_id}`)).toMatchObject({ input: { order: 'gone' }, input_state: 'whole', replay_of, state: 'failed' });
    expect((await read(path)).replay_of).toBeNull();
    await eventually(async () => (await user.get('/jobs?scope=mine')).text.includes(`"replay_of":"${replay_of}"`));
  });

  test('takes other parameters, which the contract checks', async () => {
    const path = await origin({ order: 'gone' });
    const { job_id } = (await replay(path, { input: { order: 'mended' } })).as(replayedCall);
    expect(await read(`/jobs/${job_id}`)).toMatchObject({ state: 'completed', input: { order: 'mended' } });
    const wrong = await replay(path, { input: { order: 7 } });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("'order'")]);
    expect((await replay(path, { input: { order: 'a', colour: 'red' } })).text).toContain('colour');
  });

  test('runs, whatever the cache has', async () => {
    const path = await origin({ order: 'kept' }, 'test_cached');
    ran = [];
    const { job_id } = (await replay(path)).as(replayedCall);
    await read(`/jobs/${job_id}`);
    expect(ran).toEqual(['kept']);
  });

  test('has an idempotency key of its own', async () => {
    const path = await origin({ order: 'again' });
    const key = { 'idempotency-key': crypto.randomUUID() };
    const [first, second] = [await replay(path, {}, user, key), await replay(path, {}, user, key)];
    expect(second.as(replayedCall).job_id).toBe(first.as(replayedCall).job_id);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await replay(path, { input: { order: 'another' } }, user, key)).status).toBe(422);
  });

  test('has the scopes of who replays', async () => {
    const path = await origin({ order: 'written' }, 'test_writing');
    expect((await replay(path, {}, reader)).status).toBe(403);
    expect((await replay(path)).status).toBe(202);
  });

  test('of a run of somebody else is not found; an administrator gives parameters of its own', async () => {
    const path = await origin({ order: 'mine' });
    expect((await replay(path, { input: { order: 'x' } }, other)).status).toBe(404);
    const masked = await replay(path, {}, admin);
    expect([masked.status, masked.text]).toEqual([400, expect.stringContaining("'input' is needed")]);
    const { job_id } = (await replay(path, { input: { order: 'theirs' } }, admin)).as(replayedCall);
    expect((await user.get(`/jobs/${job_id}`)).status).toBe(404);
    expect(await read(path, admin)).toMatchObject({ input_state: 'masked' });
  });

  test('needs parameters where those of the origin are kept no more', async () => {
    const path = await origin({ title: 'Long', content: 'x'.repeat(5_000), format: 'html' }, 'generate_report');
    expect(await read(path)).toMatchObject({ input: null, input_state: 'gone' });
    expect((await replay(path)).text).toContain('kept no more');
  });

  test.each(['inv_profile_00000000000000000000000000000000', 'nothing'])('of no job is not found: %s', async (id) => {
    expect((await replay(`/jobs/${id}`)).status).toBe(404);
  });
});
