import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import {
  acceptedShape,
  completeProfile,
  envelopeShape,
  eventually,
  jobListShape,
  jobShape,
  nativeShape,
  startTimeoutMs,
  type HttpCaller,
  type System,
} from '#lib/testing';
import { expectRefusal, timeless } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(startTimeoutMs);

describe('waiting for a call', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let other: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['workers'] });
    system = lab.system;
    user = await system.caller();
    other = await system.caller({ userId: 'user_other' });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const jobOf = async (id: string, caller = user) => (await caller.get(`/jobs/${id}`)).as(jobShape);
  const start = async (tool: string, params: object, prefer = 'respond-async') => {
    const reply = await user.post(`/tools/${tool}`, params, { prefer });
    expect(reply.status).toBe(202);
    return { reply, accepted: reply.as(acceptedShape) };
  };

  verifies(['PL-07'], 'hands back a job at once for Prefer: respond-async, and its place', async () => {
    const { reply, accepted } = await start('user_profile_lookup', { user_id: 'user_001' });
    const self = `/jobs/${accepted.job_id}`;
    expect(accepted).toMatchObject({
      tool_name: 'user_profile_lookup',
      trace_id: reply.headers.get('x-trace-id'),
      links: { self, events: `${self}/events`, cancel: self },
    });
    expect(reply.headers.get('location')).toBe(self);
    expect(reply.headers.get('preference-applied')).toBe('respond-async');
    const ended = (await user.get(`${self}?wait=10`)).as(jobShape);
    expect(ended).toMatchObject({
      state: 'completed',
      trace_id: accepted.trace_id,
      attempts_made: 1,
      max_attempts: 5,
      result: { success: true, data: completeProfile },
    });
    const direct = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    expect(ended.result && timeless(ended.result)).toEqual(timeless(direct));
  });

  verifies(['PL-07', 'TU-29', 'TU-39'], 'shows in polls how a job goes: waiting or active, growing progress, then its end', async () => {
    const { accepted } = await start('lab_steps', { order: 'polled', steps: 6, step_ms: 120 });
    const seen: number[] = [];
    const ended = await eventually(async () => {
      const job = await jobOf(accepted.job_id);
      if (job.progress) seen.push(job.progress.progress);
      if (job.state === 'completed') return job;
      expect(['waiting', 'active']).toContain(job.state);
      expect([job.result, job.finished_at]).toEqual([null, null]);
      return null;
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(2);
    expect(ended.result).toMatchObject({ success: true, data: { order: 'polled', steps: 6 } });
    const [created, started, finished] = [ended.created_at, ended.started_at, ended.finished_at].map((time) => Date.parse(time ?? ''));
    expect(started).toBeGreaterThanOrEqual(created ?? NaN);
    expect(finished).toBeGreaterThanOrEqual((started ?? NaN) + 600);
  });

  test('answers a long poll when its time is over, or as soon as the job ends', async () => {
    const { accepted } = await start('lab_steps', { order: 'long-poll', steps: 1, step_ms: 40_000 });
    const patient = user.get(`/jobs/${accepted.job_id}?wait=60`);
    const brief = user.get(`/jobs/${accepted.job_id}?wait=0.3`);
    const answers: string[] = [];
    await Promise.race([patient.then(() => answers.push('patient')), brief.then(() => answers.push('brief'))]);
    expect([answers, (await brief).as(jobShape).result]).toEqual([['brief'], null]);
    expect((await user.delete(accepted.links.cancel)).status).toBe(202);
    expect((await patient).as(jobShape).state).toBe('cancelled');
  });

  test('waits as long as Prefer: wait says and no longer', async () => {
    const { accepted } = await start('lab_steps', { order: 'patient', steps: 1, step_ms: 60_000 }, 'wait=1');
    expect((await jobOf(accepted.job_id)).finished_at).toBeNull();
    await user.delete(accepted.links.cancel);
    const quick = await user.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer: 'wait=10' });
    expect([quick.status, quick.as(envelopeShape).success]).toEqual([200, true]);
    for (const prefer of ['handling=lenient', 'wait=x', 'respond-asynchronously'])
      expect((await user.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer })).status).toBe(200);
    for (const prefer of ['foo=bar, respond-async', 'WAIT=0', 'respond-async; wait=0'])
      expect((await user.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer })).status).toBe(202);
  });

  test('hands back a job on the native route and at /tools/call too', async () => {
    for (const [path, body] of [
      ['/aurawell/user_profile_lookup', { user_id: 'user_001' }],
      ['/tools/call', { name: 'user_profile_lookup', arguments: { user_id: 'user_001' } }],
    ] as const) {
      const reply = await user.post(path, body, { prefer: 'respond-async' });
      expect(reply.status).toBe(202);
      expect((await user.get(`${reply.headers.get('location')}?wait=10`)).as(jobShape).state).toBe('completed');
    }
  });

  verifies(['TU-46', 'TU-108', 'TU-104'], 'streams long work to those who accept a stream and JSON, unless they said no', async () => {
    const both = { accept: 'text/event-stream, application/json' };
    await using stream = await user.stream('/tools/lab_steps', {
      method: 'POST',
      json: { order: 'both', steps: 2, step_ms: 20 },
      headers: both,
    });
    expect((await stream.rest()).map(({ event }) => event)).toEqual(['tool_progress', 'tool_progress', 'tool_progress', 'tool_result']);
    for (const path of ['/tools/lab_steps?enable_streaming=false', '/tools/lab_steps']) {
      const headers = path.includes('?') ? both : { accept: 'application/json' };
      const reply = await user.post(path, { order: 'json', steps: 1, step_ms: 20 }, headers);
      expect(reply.as(envelopeShape).data).toEqual({ order: 'json', steps: 1 });
    }
    const fast = await user.post('/tools/lab_cached', { order: 'fast' }, both);
    expect(fast.as(envelopeShape).success).toBe(true);
  });

  verifies(['TU-32', 'TU-39'], 'passes progress on as it is made, never falling, ending at 100', async () => {
    const json = { order: 'spread', steps: 2, step_ms: 500 };
    await using stream = await user.stream('/tools/lab_steps/sse', { method: 'POST', json });
    const [first, second] = await stream.take(2);
    // The second step has not been made yet.
    expect((await jobOf(`inv_${/^evt_(.+)_\d+$/.exec(first?.id ?? '')?.[1]}`)).state).toBe('active');
    const rest = await stream.rest();
    expect([first, second, ...rest].map((event) => event?.event)).toEqual([
      'tool_progress',
      'tool_progress',
      'tool_progress',
      'tool_result',
    ]);
    expect([first, second, rest[0]].map((event) => event?.data)).toMatchObject([0, 50, 100].map((percent) => ({ progress: percent })));
  });

  verifies(['PL-07'], 'shows a job to nobody but its caller and administrators', async () => {
    const { accepted } = await start('user_profile_lookup', { user_id: 'user_001' });
    const self = `/jobs/${accepted.job_id}`;
    await user.get(`${self}?wait=10`);
    const tenantless = await system.caller({ userId: null, scopes: ['tools:read', 'profile:read:any', 'act-as'] });
    for (const caller of [other, tenantless]) {
      expectRefusal(await caller.get(self), { status: 404, code: 'RESOURCE_NOT_FOUND' });
      expectRefusal(await caller.get(`${self}/events`), { status: 404, code: 'RESOURCE_NOT_FOUND' });
      expectRefusal(await caller.delete(self), { status: 404, code: 'RESOURCE_NOT_FOUND' });
    }
    expect((await jobOf(accepted.job_id, await system.admin())).result?.success).toBe(true);
    expect((await jobOf(accepted.job_id, await system.caller())).result?.success).toBe(true);
  });

  test("lists the caller's own jobs, newest first, page by page, by tool and state", async () => {
    const caller = await system.caller({ userId: 'user_lister', scopes: ['tools:read', 'tools:write', 'profile:read:any'] });
    const made: string[] = [];
    for (let index = 0; index < 7; index++) {
      const { metadata } = (
        await caller.call(index === 3 ? 'lab_cached' : 'user_profile_lookup', index === 3 ? { order: 'listed' } : { user_id: 'user_001' })
      ).envelope;
      made.unshift(metadata.job_id ?? '');
    }
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { jobs: readonly { job_id: string }[]; pagination: { has_more: boolean; next_cursor: string | null } } = (
        await caller.get(`/jobs?limit=3${cursor && `&cursor=${cursor}`}`)
      ).as(jobListShape);
      expect(page.jobs.length).toBeLessThanOrEqual(3);
      expect(page.pagination.has_more).toBe(page.pagination.next_cursor !== null);
      listed.push(...page.jobs.map(({ job_id }) => job_id));
      cursor = page.pagination.next_cursor;
    }
    expect(listed).toEqual(made);
    expect((await caller.get('/jobs?tool=lab_cached')).as(jobListShape).jobs.map(({ job_id }) => job_id)).toEqual([made[3]]);
    expect((await caller.get('/jobs?state=failed')).as(jobListShape).jobs).toEqual([]);
    expect((await caller.get('/jobs?state=completed')).as(jobListShape).jobs).toHaveLength(7);
    const mine = (await other.get('/jobs?limit=100')).as(jobListShape).jobs.map(({ job_id }) => job_id);
    expect(mine.filter((id) => made.includes(id))).toEqual([]);
  });

  verifies(['PL-01', 'TU-118'], 'queues calls while no worker is there, and finishes them when one returns', async () => {
    await system.pauseWorkers();
    const { accepted } = await start('user_profile_lookup', { user_id: 'user_001' });
    expect((await user.get(`/jobs/${accepted.job_id}?wait=0.5`)).as(jobShape)).toMatchObject({
      state: 'waiting',
      attempts_made: 0,
      started_at: null,
      result: null,
    });
    expect((await user.get('/tools')).status).toBe(200);
    system.worker.signal('SIGCONT');
    expect((await user.get(`/jobs/${accepted.job_id}?wait=20`)).as(jobShape)).toMatchObject({
      state: 'completed',
      result: { success: true },
    });
  });

  verifies(
    ['PL-01', 'TU-118', 'TU-57'],
    "ends at the tool's whole deadline when no worker comes: 504, and the late work is not done",
    async () => {
      const { deadline_ms: deadline } = z.looseObject({ deadline_ms: z.number() }).parse((await user.get('/tools/calc_metrics')).body);
      const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
      await system.pauseWorkers();
      const [unified, native, streamed] = await Promise.all([
        user.call('calc_metrics', body),
        user.post('/aurawell/calc_metrics', { ...body, age: 31 }),
        user
          .stream('/tools/calc_metrics/sse', { method: 'POST', json: { ...body, age: 32 } })
          .then((stream) => stream.rest(deadline + 20_000)),
      ]);
      system.worker.signal('SIGCONT');
      const { error, metadata } = expectRefusal(unified, { status: 504, code: 'TIMEOUT', native: 'CALCULATION_ERROR' });
      expect([error.retryable, metadata.attempts]).toEqual([true, 0]);
      expect([native.status, native.as(nativeShape).error_code]).toEqual([504, 'CALCULATION_ERROR']);
      expect(streamed.at(-1)).toMatchObject({ event: 'tool_error', data: { error: { code: 'TIMEOUT' } } });
      expect((await user.call('lab_cached', { order: 'after-deadline' })).envelope.success).toBe(true);
      const ended = await jobOf(metadata.job_id ?? '');
      expect(Date.parse(ended.finished_at ?? '') - Date.parse(ended.created_at)).toBeGreaterThanOrEqual(deadline);
      expect(ended).toMatchObject({
        state: 'failed',
        attempts_made: 0,
        result: { error: { code: 'TIMEOUT' } },
      });
    },
  );
});
