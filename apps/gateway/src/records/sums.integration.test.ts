import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callSums, historyPage } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: ({ head }) => ({ ok: true, data: { made: String(head.input['order']) } }) });
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

const sums = async (query: string) => (await admin.get(`/usage/calls?${query}`)).as(callSums).sums;

describe('Sums by model and by conversation', () => {
  const conversation = '7f1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11';
  const other = '0c1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11';

  test('have each call once: what asked no model and what is in no conversation has a row too', async () => {
    const { database } = gateway.stores;
    const common = { tenant_id: gateway.tenant.id, user_id: 'thinker', caller: 'thinker', credential_id: 'k', domain: 'test' };
    const ended = {
      state: 'completed',
      code: null,
      native_code: null,
      attempts_made: 1,
      max_attempts: 1,
      replay_of: null,
      edited_by: null,
    };
    const times = {
      created_at: Date.now(),
      started_at: Date.now(),
      finished_at: Date.now(),
      execution_ms: 5,
      network_ms: 0,
      latency_class: 3,
    };
    const used = { input_tokens: 10, output_tokens: 2, trace_id: 't', cost_micros: 7, tool_name: 'chat_turn', tool_version: '1.0.0' };
    const of = (job: string, change: object) => ({ job_id: job, ...common, ...ended, ...times, ...used, ...change });
    const calls = [
      of('turn_1', { model: 'big', conversation_id: conversation }),
      of('turn_2', { model: 'big', conversation_id: conversation }),
      of('turn_3', { model: 'small', conversation_id: other }),
      of('tool_1', { tool_name: 'test_priced', conversation_id: conversation, input_tokens: null, output_tokens: null }),
      // As a gateway of the version before has them.
      of('tool_2', { tool_name: 'test_priced', cost_micros: 20 }),
    ];
    await database.$queryRaw`SELECT keep_calls(${JSON.stringify(calls)}::jsonb)`;
    const mine = 'scope=tenant&user=thinker';
    expect(await sums(`${mine}&by=model`)).toMatchObject([
      { model: 'big', calls: 2, input_tokens: 20, cost_micros: 14 },
      { model: 'small', calls: 1, input_tokens: 10, cost_micros: 7 },
      { model: null, calls: 2, input_tokens: 10, cost_micros: 27 },
    ]);
    const byConversation = await sums(`${mine}&by=conversation,tool`);
    expect(byConversation.map((sum) => [sum.conversation_id, sum.tool_name, sum.calls, sum.cost_micros])).toEqual([
      [other, 'chat_turn', 1, 7],
      [conversation, 'chat_turn', 2, 14],
      [conversation, 'test_priced', 1, 7],
      [null, 'test_priced', 1, 20],
    ]);
    expect(byConversation.every(({ p50_ms }) => p50_ms !== null)).toBe(true);
    expect(await sums(`${mine}&by=tool&conversation=${conversation}`)).toMatchObject([
      { tool_name: 'chat_turn', cost_micros: 14 },
      { tool_name: 'test_priced', cost_micros: 7 },
    ]);
    expect((await sums(`${mine}&by=day`)).map(({ cost_micros }) => cost_micros)).toEqual([48]);
    const page = (await admin.get(`/history?${mine}`)).as(historyPage);
    expect(page.calls.find(({ job_id }) => job_id === 'turn_3')).toMatchObject({ model: 'small', conversation_id: other });
    const csv = await admin.request(`/usage/calls?${mine}&by=model,conversation`, { headers: { accept: 'text/csv' } });
    expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 3).join())).toEqual([
      'model,conversation_id,calls',
      `big,${conversation},2`,
      `small,${other},1`,
      `,${conversation},1`,
      ',,1',
      '',
    ]);
    // Pages have each row once.
    const first = (await admin.get(`/usage/calls?${mine}&by=model&limit=2`)).as(callSums);
    const second = (await admin.get(`/usage/calls?${mine}&by=model&limit=2&cursor=${first.pagination.next_cursor}`)).as(callSums);
    expect([...first.sums, ...second.sums].map(({ model }) => model)).toEqual(['big', 'small', null]);
  });

  test('refuse what names no conversation', async () => {
    const refused = await admin.get('/usage/calls?conversation=mine');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('"path":"conversation"')]);
  });
});

describe('Quantiles of the sums', () => {
  test('are those of all calls of a row, whatever it groups by', async () => {
    const fast = await gateway.caller({ userId: 'fast' });
    for (const order of ['1', '2', '3']) await fast.post('/tools/test_plain', { order });
    const history = async () => (await fast.get('/history')).as(historyPage).calls;
    await eventually(async () => (await history()).length === 3, { what: 'three calls in the history' });
    const [sum] = (await fast.get('/usage/calls?by=user')).as(callSums).sums;
    const durations = (await history()).map(({ duration_ms }) => duration_ms).sort((a, b) => a - b);
    expect(Math.abs((sum?.p50_ms ?? 0) / Math.max(1, durations[1] ?? 0) - 1)).toBeLessThan(0.11);
    expect(Math.abs((sum?.p99_ms ?? 0) / Math.max(1, durations[2] ?? 0) - 1)).toBeLessThan(0.11);
    const whole = await sums('scope=tenant&by=user,tool');
    const one = async (cursor = '') => (await admin.get(`/usage/calls?scope=tenant&by=user,tool&limit=1${cursor}`)).as(callSums);
    const first = await one();
    const pages = [...first.sums, ...(await one(`&cursor=${first.pagination.next_cursor}`)).sums];
    expect(pages).toEqual(whole.slice(0, 2));
    expect(whole.find(({ user_id }) => user_id === 'fast')).toMatchObject({ calls: 3, p50_ms: sum?.p50_ms, p99_ms: sum?.p99_ms });
  });
});
