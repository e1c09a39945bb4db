import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runTool, type Handler } from '#lib/handlers';
import { SkillLibrary } from '#lib/skills';
import { GatewayClient } from '../gateway-client.js';
import type { LocalServices } from '../local-services.js';
import { handleCancelSchedule } from './cancel-schedule.js';
import { handleListSchedules } from './list-schedules.js';
import { handleScheduleCall } from './schedule-call.js';

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['schedules'], credentialId: 'k' } as const;
const metadata = { tool_name: 't', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1' };
const at = '2030-01-01T08:00:00+01:00';
const call = { name: 'weather', tool: 'get_weather', arguments: { location: 'Beijing' } };
const weather = { ...call, arguments: JSON.stringify(call.arguments) };
/** As the gateway shows it. */
const shown = {
  id: '0f0e0d0c-0b0a-4908-8706-050403020100',
  owner: 't/u',
  ...call,
  cron: '0 8 * * 1',
  every_ms: null,
  time_zone: 'UTC',
  starts_at: null,
  ends_at: null,
  overlap: 'skip',
  missed: 'once',
  jitter_ms: 0,
  paused: false,
  state: 'active',
  problem: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  next_at: '2026-01-05T08:00:00.000Z',
  last_at: null,
  last_job_id: null,
};

function refusal(status: number, code: string, details?: readonly object[]): ScriptedAnswer {
  const error = { code, message: `it is ${code}`, retryable: status >= 500, hint: '', ...(details && { details }) };
  return jsonAnswer(status, { success: false, status: 'error', error, metadata });
}

async function run(handler: Handler<LocalServices>, input: object, server: ScriptedServer) {
  const gateway = new GatewayClient(server.url, { warn: () => undefined });
  const services: LocalServices = {
    skills: new SkillLibrary({ folders: [] }),
    schedules: ({ effectKey, traceId }) => gateway.schedules({ token: `token of ${effectKey}`, traceId }),
    results: ({ effectKey, traceId }) => gateway.results({ token: `token of ${effectKey}`, traceId }, null),
  };
  const attempt = { jobId: 'inv_1', number: 1, caller, sessionId: null, stop: new AbortController().signal, onProgress: () => undefined };
  return runTool(handler, services, { ...attempt, input, traceId: 'trace_1' });
}

test.each([
  ['by cron', { cron: '0 8 * * 1', time_zone: 'Asia/Shanghai' }, { cron: '0 8 * * 1', time_zone: 'Asia/Shanghai' }],
  ['every so often', { every_ms: 60_000, ends_at: at }, { every_ms: 60_000, ends_at: at, time_zone: 'UTC' }],
  ['once', { at }, { every_ms: 31_536_000_000, starts_at: at, ends_at: at, time_zone: 'UTC' }],
])('a call is scheduled %s, in the name of the user', async (_how, when, sent) => {
  await using server = await startScriptedServer(jsonAnswer(201, { ...shown, ...sent }));
  const result = await run(handleScheduleCall, { ...weather, ...when }, server);
  expect(result).toMatchObject({ kind: 'done', data: { name: 'weather', state: 'active', next_at: shown.next_at } });
  expect(result).toMatchObject({ data: { every_ms: 'every_ms' in when ? 60_000 : null } });
  const [request] = server.requests;
  expect(request).toMatchObject({ method: 'POST', url: '/schedules', headers: { authorization: 'Bearer token of inv_1' } });
  expect(JSON.parse(request?.body ?? '')).toEqual({ ...call, ...sent });
});

test.each([[{}], [{ at, cron: '* * * * *' }], [{ at, arguments: '[1]' }], [{ at, arguments: '{' }]])(
  'what is said by %j is refused, without asking the gateway',
  async (when) => {
    await using server = await startScriptedServer();
    const result = await run(handleScheduleCall, { ...weather, ...when }, server);
    expect(result).toMatchObject({ kind: 'refused', error: { family: 'INVALID_PARAMS', native_code: 'NOT_SCHEDULABLE' } });
  },
);

test('the same schedule again is the same; another of its name is refused', async () => {
  const taken = refusal(409, 'CONFLICT');
  await using server = await startScriptedServer(taken, jsonAnswer(200, shown), taken, jsonAnswer(200, shown));
  const again = { ...weather, cron: '0 8 * * 1' };
  expect(await run(handleScheduleCall, again, server)).toMatchObject({ kind: 'done', data: { name: 'weather' } });
  const other = await run(handleScheduleCall, { ...again, arguments: '{"location":"Xi’an"}' }, server);
  expect(other).toMatchObject({ kind: 'refused', error: { family: 'CONFLICT', native_code: 'NAME_TAKEN' } });
});

test.each([
  [400, 'INVALID_PARAMS', { kind: 'refused', error: { native_code: 'NOT_SCHEDULABLE', details: [{ path: 'cron' }] } }],
  [404, 'TOOL_NOT_FOUND', { kind: 'refused', error: { native_code: 'TOOL_NOT_FOUND' } }],
  [403, 'PERMISSION_DENIED', { kind: 'refused', error: { native_code: 'NOT_ALLOWED' } }],
  [429, 'QUOTA_EXCEEDED', { kind: 'refused', error: { native_code: 'TOO_MANY_SCHEDULES' } }],
  [503, 'OVERLOADED', { kind: 'failed', failure: 'network' }],
])('%i %s of the gateway is told in the words of the tool', async (status, code, result) => {
  await using server = await startScriptedServer(refusal(status, code, [{ path: 'cron', message: 'no' }]));
  expect(await run(handleScheduleCall, { ...weather, cron: '* * * * *' }, server)).toMatchObject(result);
});

test('schedules are listed in pages, and a cursor that is none is refused', async () => {
  const page = {
    schedules: [{ ...shown, problem: { code: 'TOOL_NOT_FOUND', message: 'gone' } }],
    pagination: { has_more: true, next_cursor: 'next' },
  };
  await using server = await startScriptedServer(jsonAnswer(200, page), refusal(400, 'INVALID_PARAMS'));
  expect(await run(handleListSchedules, { limit: 1 }, server)).toMatchObject({
    data: { schedules: [{ name: 'weather', problem: 'gone' }], next_cursor: 'next' },
  });
  expect(await run(handleListSchedules, { cursor: 'x' }, server)).toMatchObject({ error: { native_code: 'BAD_CURSOR' } });
  expect(server.requests.map(({ url }) => url)).toEqual(['/schedules?limit=1', '/schedules?cursor=x&limit=20']);
});

test('a schedule is cancelled once, and one that is not there is cancelled already', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, shown),
    refusal(404, 'RESOURCE_NOT_FOUND'),
    refusal(403, 'PERMISSION_DENIED'),
  );
  expect(await run(handleCancelSchedule, { name: 'weather' }, server)).toMatchObject({ data: { status: 'cancelled' } });
  expect(await run(handleCancelSchedule, { name: 'weather' }, server)).toMatchObject({ data: { status: 'not_there' } });
  expect(await run(handleCancelSchedule, { name: 'weather' }, server)).toMatchObject({ error: { native_code: 'NOT_ALLOWED' } });
  expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/schedules/weather' });
});
