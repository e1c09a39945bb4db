import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { defineTool, principal, sensitive, type Outcome } from '#lib/contracts';
import { CallReports } from './call-reports.js';
import { loggedCall, wholeMs, whoOf } from './logged-call.js';
import { Metrics } from '../metrics.js';
import { ending, newCaller, request } from '../record/test-invocations.js';

const lookup = defineTool({
  name: 'lookup',
  version: '1.0.0',
  title: 'Look-up',
  description: 'Read one user.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ user_id: z.string(), birthday: sensitive(z.string()).optional() }),
  output: z.strictObject({}),
  errors: {},
  subject: { param: 'user_id', anyScope: 'profile:read:any' },
  timeoutMs: 1_000,
  estimatedTokens: 5,
  examples: [{ input: { user_id: 'u' }, output: {} }],
});
const caller = newCaller();

function callOf(outcome: Outcome, input: Record<string, unknown> = { user_id: 'somebody', birthday: '2000-01-01' }) {
  const { jobId, head } = request(caller, { head: { tool: 'lookup', input, createdAt: 1_000, requestId: 'r1' } });
  return loggedCall({ jobId, head, ending: ending({ outcome, finishedAt: 1_250, executionMs: 12.5, attempts: 2 }) }, lookup);
}

describe('the record of a call', () => {
  test('has its ids, times and outcome', () => {
    expect(callOf({ ok: true, data: {} })).toMatchObject({
      trace_id: 'trace_x',
      request_id: 'r1',
      tool_name: 'lookup',
      tenant_id: caller.tenantId,
      caller_id: principal(caller),
      started_at: 1_000,
      duration_ms: 250,
      execution_time_ms: 12.5,
      attempts: 2,
      success: true,
      http_status: 200,
      cache_hit: false,
    });
  });

  test.each([
    ['the worker ended it before the gateway took it', 990, 12.5],
    ['it ended sooner than its handler ran', 1_005, 12.5],
    ['both agree', 1_013, 13],
  ])('lasts as long as its handler ran at least, by clocks of which %s', (_, finishedAt, whole) => {
    expect(wholeMs({ createdAt: 1_000 }, { finishedAt, executionMs: 12.5 })).toBe(whole);
  });

  test('has sensitive parameters masked', () => {
    const { params } = callOf({ ok: true, data: {} });
    expect(params).toMatchObject({ user_id: 'somebody' });
    expect(JSON.stringify(params)).not.toContain('2000-01-01');
  });

  test('of a tool that this process does not know has no parameters at all', () => {
    const { jobId, head } = request(caller, { head: { input: { secret: 'x' } } });
    expect(loggedCall({ jobId, head, ending: ending() }, undefined).params).toBeNull();
  });
});

describe('whose data a call is about', () => {
  test.each([
    ['the user whom the contract’s parameter names', { input: { user_id: 'somebody' }, contract: lookup }, 'somebody'],
    ['the caller’s user where there is no such parameter', { input: { user_id: 'somebody' }, contract: undefined }, 'u'],
    ['the caller’s user where the parameter is no text', { input: { user_id: 7 }, contract: lookup }, 'u'],
    ['the caller’s user where there is no input', { input: null, contract: lookup }, 'u'],
    ['at most 128 characters of it', { input: { user_id: 'x'.repeat(200) }, contract: lookup }, 'x'.repeat(128)],
  ])('%s', (_name, { input, contract }, userId) => {
    expect(whoOf(caller, input, contract)).toEqual({ user_id: userId, caller_id: principal(caller) });
  });
});

describe('recording a call', () => {
  const failure = (family: 'RESOURCE_NOT_FOUND' | 'TIMEOUT'): Outcome => ({ ok: false, error: { code: family, family, message: 'm' } });

  test.each([
    ['an answer', { ok: true, data: {} } as Outcome, { level: 'info', result: 'success' }],
    ['a refusal', failure('RESOURCE_NOT_FOUND'), { level: 'info', result: 'refused' }],
    ['a failure of ours', failure('TIMEOUT'), { level: 'error', result: 'failed' }],
  ])('%s is one log line and one count', async (_name, outcome, { level, result }) => {
    const lines: Record<string, unknown>[] = [];
    const log = pino(
      { formatters: { level: (label) => ({ level: label }) } },
      { write: (line: string) => void lines.push(JSON.parse(line)) },
    );
    const metrics = new Metrics();
    new CallReports(log, Date.now, metrics).record(callOf(outcome), { outcome, facts: { rows: 3 } });
    expect(lines).toEqual([
      expect.objectContaining({ level, event: 'call-end', tool_name: 'lookup', rows: 3, started_at: '1970-01-01T00:00:01.000Z' }),
    ]);
    expect(await countOf(metrics, result)).toBe(1);
  });

  test('only calls that ran count for the duration', async () => {
    const log = pino({ level: 'silent' });
    const metrics = new Metrics();
    const reports = new CallReports(log, Date.now, metrics);
    const outcome = { ok: true, data: {} } as const;
    reports.record({ ...callOf(outcome), job_id: null }, { outcome });
    expect(await observed(metrics)).toBe(0);
    reports.record(callOf(outcome), { outcome });
    expect(await observed(metrics)).toBe(1);
  });
});

async function countOf({ toolCalls }: Metrics, result: string): Promise<number> {
  const { values } = await toolCalls.get();
  return values.filter(({ labels }) => labels.tool === 'lookup' && labels.result === result).reduce((sum, { value }) => sum + value, 0);
}

async function observed({ toolCallSeconds }: Metrics): Promise<number> {
  const { values } = await toolCallSeconds.get();
  return values.find(({ metricName, labels }) => metricName?.endsWith('_count') && labels.tool === 'lookup')?.value ?? 0;
}
