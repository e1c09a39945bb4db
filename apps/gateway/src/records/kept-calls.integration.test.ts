import { afterAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createDatabase } from '#lib/platform';
import { givenStores } from '#lib/testing';
import type { HistoryCall } from '#lib/transport';
import { keptCalls } from './kept-calls.js';

const database = createDatabase({ url: givenStores().databaseUrl, poolSize: 1, name: 'test' });
afterAll(async () => database.$disconnect());

/** The first moment of this day of UTC, and the last one before it: gateways of other tests drop older days. */
const early = new Date().setUTCHours(0, 0, 0, 0);
const late = early - 1;
const [today, yesterday] = [new Date(early), new Date(new Date(late).setUTCHours(0, 0, 0, 0))];

/** No two fields of it have the same value. */
function endedCall(given: Partial<HistoryCall> & Pick<HistoryCall, 'job_id' | 'tenant_id'>): HistoryCall {
  return {
    user_id: 'user',
    caller: 'caller',
    credential_id: 'key',
    domain: 'domain',
    tool_name: 'tool',
    tool_version: '1.2.3',
    state: 'completed',
    code: 'code',
    native_code: 'native',
    attempts_made: 1,
    max_attempts: 2,
    created_at: early - 5_000,
    started_at: early - 4_000,
    finished_at: early,
    execution_ms: 10.5,
    network_ms: 5.5,
    input_tokens: 3,
    output_tokens: 4,
    trace_id: 'trace',
    replay_of: 'replayed',
    edited_by: 'editor',
    cost_micros: 6,
    model: 'model',
    conversation_id: 'conversation',
    ...given,
  };
}

/** As gateways of the version before give them; the oldest told no class of latency. */
const asObjects = (calls: readonly HistoryCall[]) => JSON.stringify(calls.map((call) => ({ ...call, latency_class: 47 })));
const withoutClass = (calls: readonly HistoryCall[]) => JSON.stringify(calls);

describe.each([
  { as: 'as lists of values', form: keptCalls, class: '47' },
  { as: 'as objects', form: asObjects, class: '47' },
  { as: 'as objects without a class of latency', form: withoutClass, class: null },
])('Ended calls $as', ({ form, class: latency }) => {
  const tenant = randomUUID();
  const of = (jobId: string, given: Partial<HistoryCall> = {}) => endedCall({ job_id: `${jobId} ${tenant}`, tenant_id: tenant, ...given });
  const keep = async (...calls: readonly HistoryCall[]) => {
    const rows = await database.$queryRaw<{ fresh: number }[]>`SELECT keep_calls(${form(calls)}::jsonb) AS fresh`;
    return rows[0]?.fresh;
  };
  const sums = async (caller: string) =>
    database.callUsage.findMany({ where: { tenantId: tenant, caller }, orderBy: [{ day: 'asc' }, { credentialId: 'asc' }] });

  test('have each field in its column', async () => {
    const one = of('whole', { caller: 'whole' });
    expect(await keep(one)).toBe(1);
    const where = { tenantId: tenant, caller: 'whole' };
    expect(await database.callHistory.findMany({ where })).toEqual([
      {
        finishedAt: new Date(one.finished_at),
        jobId: one.job_id,
        tenantId: tenant,
        userId: 'user',
        caller: 'whole',
        credentialId: 'key',
        domain: 'domain',
        toolName: 'tool',
        toolVersion: '1.2.3',
        state: 'completed',
        code: 'code',
        nativeCode: 'native',
        attemptsMade: 1,
        maxAttempts: 2,
        createdAt: new Date(one.created_at),
        startedAt: new Date(early - 4_000),
        executionMs: 10.5,
        networkMs: 5.5,
        inputTokens: 3,
        outputTokens: 4,
        traceId: 'trace',
        replayOf: 'replayed',
        editedBy: 'editor',
        costMicros: 6n,
        model: 'model',
        conversationId: 'conversation',
      },
    ]);
    expect(await sums('whole')).toEqual([
      {
        day: today,
        tenantId: tenant,
        caller: 'whole',
        credentialId: 'key',
        toolName: 'tool',
        model: 'model',
        conversationId: 'conversation',
        userId: 'user',
        completed: 1n,
        failed: 0n,
        cancelled: 0n,
        attempts: 1n,
        executionMs: 10.5,
        inputTokens: 3n,
        outputTokens: 4n,
        costMicros: 6n,
        latencies: latency === null ? {} : { [latency]: 1 },
      },
    ]);
  });

  test('are kept and summed once, whatever of a batch is known, comes twice, or is of another day', async () => {
    const given = { caller: 'many' };
    const [known, fresh, failed, before] = [
      of('known', given),
      of('fresh', given),
      of('failed', { ...given, state: 'failed' }),
      of('before', { ...given, finished_at: late, created_at: late - 5_000 }),
    ];
    const guest = of('guest', { ...given, credential_id: 'guest:192.0.2.1', model: null, conversation_id: null, input_tokens: null });
    const batch = [fresh, known, guest, fresh, failed, before, before];
    expect(await keep(known)).toBe(1);
    expect(await keep(...batch)).toBe(4);
    expect(await keep(...batch)).toBe(0);
    const kept = await database.callHistory.findMany({
      where: { tenantId: tenant, caller: 'many' },
      select: { jobId: true },
    });
    expect(kept.map(({ jobId }) => jobId).toSorted()).toEqual([before, failed, fresh, guest, known].map(({ job_id }) => job_id));
    const counted = (number: number) => (latency === null ? {} : { [latency]: number });
    expect(await sums('many')).toMatchObject([
      { day: yesterday, completed: 1n, attempts: 1n, costMicros: 6n, latencies: counted(1) },
      { day: today, credentialId: '', model: '', conversationId: '', completed: 1n, inputTokens: 0n, latencies: counted(1) },
      {
        day: today,
        credentialId: 'key',
        completed: 2n,
        failed: 1n,
        attempts: 3n,
        executionMs: 31.5,
        costMicros: 18n,
        latencies: counted(3),
      },
    ]);
  });

  test('add to sums of other latencies, and nothing where there is none', async () => {
    const given = { caller: 'slow' };
    await keep(of('quick', given), of('quick too', given));
    await keep(of('slow', { ...given, created_at: early - 40_000 }), of('quick again', given));
    expect(await keep()).toBe(0);
    const [sum] = await sums('slow');
    expect(sum?.completed).toBe(4n);
    if (latency === null) expect(sum?.latencies).toEqual({});
    else expect(sum?.latencies).toEqual(form === keptCalls ? { 47: 3, 58: 1 } : { 47: 4 });
  });
});
