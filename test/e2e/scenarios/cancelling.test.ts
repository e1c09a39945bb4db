import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Invoq } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { acceptedShape, envelopeShape, eventually, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';

async function toTheEnd(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

describe('cancelling', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let key: string;
  let invoq: Invoq<ProductTools>;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['gateway 2', 'workers'], gateways: 2, workers: 2 });
    system = lab.system;
    user = await system.caller();
    key = await system.tenant.key();
    invoq = new Invoq<ProductTools>({ url: system.gateway.url, key });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const notes = (order: string) => lab.ledger.of(order).notes.map(({ note }) => note);
  const start = async (order: string) =>
    (await user.post('/tools/lab_steps', { order, steps: 100, step_ms: 300 }, { prefer: 'respond-async' })).as(acceptedShape);
  const running = (order: string) => eventually(() => notes(order).includes('started'), { what: `${order} running` });

  test('stops a running call wherever it runs, and tells everybody who waits', async () => {
    const { job_id, links } = await start('running');
    const polled = user.get(`${links.self}?wait=30`);
    await using stream = await user.at(system.gateways[1]?.url ?? '').stream(links.events);
    await running('running');
    const reply = await user.at(system.gateways[1]?.url ?? '').delete(links.cancel);
    expect(reply.status).toBe(202);
    expect(reply.as(acceptedShape)).toMatchObject({ job_id, state: 'cancelled' });
    const job = (await polled).as(jobShape);
    expect(job).toMatchObject({ state: 'cancelled', result: { success: false, error: { code: 'CANCELLED', retryable: false } } });
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ event: 'tool_error' });
    expect(envelopeShape.parse(last?.data)).toEqual(job.result);
    await eventually(() => lab.ledger.of('running').notes.find(({ note }) => note === 'aborted'), {
      what: "the handler's signal",
    });
  });

  test('keeps a waiting call from ever running', async () => {
    await system.pauseWorkers();
    const { links } = await start('waiting');
    expect((await user.delete(links.cancel)).status).toBe(202);
    expect((await user.get(links.self)).as(jobShape)).toMatchObject({ state: 'cancelled', attempts_made: 0, started_at: null });
    for (const worker of system.workers) worker.signal('SIGCONT');
    expect((await user.call('lab_cached', { order: 'after' })).envelope.success).toBe(true);
    expect(notes('waiting')).toEqual([]);
  });

  test('stops a call that waits for its next attempt', async () => {
    const params = { order: 'delayed', kind: 'rate-limit', times: 9, retry_after: '20' };
    const { links } = (await user.post('/tools/lab_fail', params, { prefer: 'respond-async' })).as(acceptedShape);
    await eventually(async () => (await user.get(links.self)).as(jobShape).state === 'delayed', { what: 'a delayed job' });
    expect((await user.delete(links.cancel)).status).toBe(202);
    expect((await user.get(links.self)).as(jobShape)).toMatchObject({ state: 'cancelled', result: { error: { code: 'CANCELLED' } } });
    expect(lab.ledger.of('delayed').attempts).toHaveLength(1);
  });

  test('comes too late for a call that has ended, however it ended', async () => {
    const ended = (await user.call('lab_cached', { order: 'ended' })).envelope.metadata.job_id ?? '';
    const refused = (await user.call('lab_fail', { order: 'ended-badly', kind: 'internal', times: 99 })).envelope.metadata.job_id ?? '';
    const { links } = await start('twice');
    await user.delete(links.cancel);
    for (const path of [`/jobs/${ended}`, `/jobs/${refused}`, links.cancel]) {
      const before = (await user.get(path)).text;
      expectRefusal(await user.delete(path), { status: 409, code: 'CONFLICT' });
      expect((await user.get(path)).text).toBe(before);
    }
  });

  test("is for the caller and administrators: another's job is not there", async () => {
    const { links } = await start('guarded');
    await running('guarded');
    expectRefusal(await (await system.caller({ userId: 'user_other' })).delete(links.cancel), { status: 404, code: 'RESOURCE_NOT_FOUND' });
    expect((await user.get(links.self)).as(jobShape).state).toBe('active');
    expect((await (await system.admin()).delete(links.cancel)).status).toBe(202);
  });

  test('of many at once leaves one end', async () => {
    const { links } = await start('crowd');
    await running('crowd');
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (await user.at(system.gateways[index % 2]?.url ?? '').delete(links.cancel)).status),
    );
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(1);
    expect(statuses.filter((status) => status !== 202 && status !== 409)).toEqual([]);
    await using stream = await user.stream(links.events);
    expect((await stream.rest()).filter(({ event }) => event === 'tool_error')).toHaveLength(1);
  });

  test('happens by itself when the only one who waits for plain JSON goes away, and not for a key that may come back', async () => {
    const gone = new AbortController();
    const params = { steps: 100, step_ms: 300 };
    const plain = user.request('/tools/lab_steps', { method: 'POST', json: { order: 'gone', ...params }, signal: gone.signal });
    const keyed = user.request('/tools/lab_steps', {
      method: 'POST',
      json: { order: 'kept', ...params },
      headers: { 'idempotency-key': 'kept' },
      signal: gone.signal,
    });
    await Promise.all([running('gone'), running('kept')]);
    gone.abort();
    await Promise.allSettled([plain, keyed]);
    await eventually(() => notes('gone').includes('aborted'), { what: 'the abandoned call being stopped' });
    expect(notes('kept')).not.toContain('aborted');
  });

  describe('leaving a call cancels it', () => {
    const input = (order: string) => ({ order, steps: 100, step_ms: 100 });
    const stopped = (order: string) => eventually(() => notes(order).includes('aborted'), { what: `${order} is cancelled` });
    const gone = new Error('no longer wanted');

    test.each<[string, (order: string, signal: AbortSignal) => Promise<unknown>]>([
      ['plain', (order, signal) => invoq.call('lab_steps', input(order), { signal })],
      ['progress', (order, signal) => invoq.call('lab_steps', input(order), { signal, onProgress: () => undefined })],
      ['key', (order, signal) => invoq.call('lab_steps', input(order), { signal, idempotencyKey: order })],
      ['stream', (order, signal) => toTheEnd(invoq.stream('lab_steps', input(order), { signal }))],
      ['batch', (order, signal) => invoq.batch([{ id: 1, name: 'lab_steps', arguments: input(order) }], { signal })],
    ])('by its signal: %s', async (what, call) => {
      const order = `left-${what}-${Date.now()}`;
      const leaving = new AbortController();
      const left = call(order, leaving.signal);
      await Promise.race([running(order), left]);
      leaving.abort(gone);
      await expect(left).rejects.toBe(gone);
      await stopped(order);
      const { jobs } = await invoq.jobs({ tool: 'lab_steps', limit: 1 });
      expect(jobs[0]).toMatchObject({ state: 'cancelled' });
    });

    test('by leaving the loop, and not by a connection that breaks', async () => {
      const order = `loop-${Date.now()}`;
      for await (const { event, data } of invoq.stream('lab_steps', input(order)))
        if (event === 'tool_progress' && data.progress > 0) break;
      await stopped(order);

      const broken = `broken-${Date.now()}`;
      const connection = new AbortController();
      const response = await fetch(`${lab.system.gateway.url}/tools/lab_steps/sse`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ order: broken, steps: 10, step_ms: 100 }),
        signal: connection.signal,
      });
      await response.body?.getReader().read();
      await running(broken);
      connection.abort();
      const [job] = (await invoq.jobs({ tool: 'lab_steps', limit: 1 })).jobs;
      expect((await invoq.wait(job?.job_id ?? '')).data).toMatchObject({ order: broken });
    });

    test.each(['SIGINT', 'SIGTERM'] as const)('%s cancels the call, and what is printed is what came of it', async (signal) => {
      const order = `command-${signal}-${Date.now()}`;
      const options = ['--order', order, '--steps', '100', '--step_ms', '100'];
      const child = spawn(process.execPath, ['dist/apps/cli/src/main.js', 'call', 'lab_steps', ...options], {
        env: { PATH: process.env['PATH'], INVOQ_DATA_DIR: '/nowhere/at/all', INVOQ_URL: lab.system.gateway.url, INVOQ_API_KEY: key },
      });
      const [stdout, stderr] = [buffer(child.stdout), buffer(child.stderr)];
      await running(order);
      child.kill(signal);
      const [code] = await once(child, 'exit');
      expect([code, String(await stdout), String(await stderr)]).toEqual([130, '', 'Cancelled.\n']);
      expect((await invoq.jobs({ tool: 'lab_steps', limit: 1 })).jobs[0]).toMatchObject({ state: 'cancelled' });
    });
  });
});
