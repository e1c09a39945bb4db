import { randomUUID } from 'node:crypto';
import { mkdtempDisposableSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import {
  acceptedShape,
  dayMs,
  eventually,
  hourMs,
  jobListShape,
  jobShape,
  startTimeoutMs,
  type HttpCaller,
  type System,
} from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { meta, resultOf, sendMessage } from '../mcp-messages.js';

jest.setTimeout(startTimeoutMs);

const characters = 120_000;
const answer = '答'.repeat(characters);

/** Parameters and answers of more than 64 KB are not in Redis; nobody outside sees that. */
describe('a call with large parameters and a large answer', () => {
  const root = mkdtempDisposableSync(join(tmpdir(), 'invoq-large-'));
  const folder = join(root.path, 'files');
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let key: string;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['workers'], gateways: 2, env: { FILES_DIR: folder } });
    system = lab.system;
    key = await system.tenant.key();
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    root.remove();
  }, startTimeoutMs);

  const large = (order = randomUUID()) => ({ order, text: '請'.repeat(30_000), answer_characters: characters });
  const files = (): readonly string[] => {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    } catch {
      return [];
    }
  };

  test('is streamed whole, whatever its size', async () => {
    await using stream = await user.stream('/tools/lab_large', {
      method: 'POST',
      json: { order: randomUUID(), text: 'a', answer_characters: 2_000_000 },
    });
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ event: 'tool_result', data: { success: true, data: { text: expect.stringMatching(/^答{2000000}$/) } } });
  });

  test('is answered the same at every door, by any gateway, again and again', async () => {
    const asked = large();
    const data = { order: asked.order, counted: 30_000, text: answer };
    const idempotent = { 'idempotency-key': randomUUID() };
    const called = await user.call('lab_large', asked, idempotent);
    expect(called.envelope).toMatchObject({ success: true, data });
    const jobId = called.envelope.metadata.job_id ?? '';

    const other = user.at(system.gateways[1]?.url ?? '');
    const replayed = await other.call('lab_large', asked, idempotent);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.envelope.data).toEqual(data);
    expect((await other.get(`/jobs/${jobId}`)).as(jobShape).result?.data).toEqual(data);
    const list = (await user.get('/jobs?limit=1')).as(jobListShape);
    expect(list.jobs[0]?.result?.data).toEqual(data);
    await using stream = await other.stream(`/jobs/${jobId}/events`);
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ event: 'tool_result', data: { success: true, data } });

    const mcp = await sendMessage(
      system.gateway.url,
      { method: 'tools/call', params: { name: 'lab_large', arguments: large(asked.order), _meta: meta() } },
      { authorization: `Bearer ${key}` },
    );
    expect(await resultOf(mcp)).toMatchObject({ structuredContent: { data } });
    const batch = await user.post('/tools/batch', { calls: [{ id: 'a', name: 'lab_large', arguments: asked }] });
    expect(batch.as(z.looseObject({ results: z.array(z.looseObject({ data: z.unknown() })) })).results[0]?.data).toEqual(data);
  });

  test('leaves neither in Redis, nor its parameters anywhere when it has ended; nobody gets the files by the route of files', async () => {
    const { envelope } = await user.call('lab_large', { ...large(), text: `parameter-of-old ${'x'.repeat(90_000)}` });
    const jobId = envelope.metadata.job_id ?? '';
    const contents = await system.redis.everything();
    expect(contents).not.toContain('parameter-of-old');
    expect(contents).not.toContain('答答答');
    expect(contents.length).toBeLessThan(1_000_000);
    // The answer is told first; then the worker deletes the parameters.
    const own = await eventually(() => {
      const names = files().filter((name) => name.startsWith(jobId));
      return names.length <= 1 && names;
    });
    expect(own).toHaveLength(1);
    const admin = await system.admin();
    for (const name of [own[0] ?? '', `calls/${own[0]}`, encodeURIComponent(`../calls/${own[0]}`)])
      expect([403, 404]).toContain((await admin.get(`/files/${name}`)).status);
    const stranger = await system.caller({ userId: randomUUID() });
    expect((await stranger.get(`/jobs/${jobId}`)).status).toBe(404);
  });

  test('keeps its parameters until the end also when its worker dies', async () => {
    const waiting = await user.post('/tools/lab_large', { ...large(), wait_ms: 1_500 }, { prefer: 'respond-async' });
    const { job_id: jobId } = waiting.as(acceptedShape);
    await eventually(async () => (await user.get(`/jobs/${jobId}`)).as(jobShape).state === 'active');
    await system.killWorkers(system.worker);
    await system.worker.start();
    await eventually(async () => (await user.get(`/jobs/${jobId}?wait=5`)).as(jobShape).state === 'completed', { withinMs: 60_000 });
    expect((await user.get(`/jobs/${jobId}`)).as(jobShape)).toMatchObject({ result: { data: { counted: 30_000 } } });
  });

  test('that is cancelled or refused by its tool leaves no file', async () => {
    const refused = await user.call('lab_large', { ...large(), text: `odd${'x'.repeat(90_000)}` });
    expectRefusal(refused, { status: 400, code: 'INVALID_PARAMS', native: 'TOO_ODD' });
    const waiting = await user.post('/tools/lab_large', { ...large(), wait_ms: 30_000 }, { prefer: 'respond-async' });
    const { job_id: jobId } = waiting.as(acceptedShape);
    expect(files().filter((name) => name.startsWith(jobId))).toHaveLength(1);
    expect((await user.delete(`/jobs/${jobId}`)).status).toBe(202);
    for (const id of [jobId, refused.envelope.metadata.job_id ?? ''])
      await eventually(() => files().every((name) => !name.startsWith(id)), { what: `the files of ${id} gone` });
  });

  test('is refused with 503 while the file store is away, and nothing is accepted; small calls go on', async () => {
    const before = (await user.get('/jobs?limit=1')).as(jobListShape).jobs[0]?.job_id;
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'not a folder');
    const refused = expectRefusal(await user.call('lab_large', large()), { status: 503, code: 'NETWORK_ERROR', tool: 'lab_large' });
    expect(refused.error).toMatchObject({ retryable: true, retry_after_ms: 1_000 });
    expect((await user.get('/jobs?limit=1')).as(jobListShape).jobs[0]?.job_id).toBe(before);
    expect((await user.call('lab_large', { order: 'small' })).envelope.success).toBe(true);

    const waiting = await user.post('/tools/lab_large', { order: 'late', answer_characters: characters }, { prefer: 'respond-async' });
    const { job_id: jobId } = waiting.as(acceptedShape);
    expect((await user.get(`/jobs/${jobId}?wait=2`)).as(jobShape).state).toBe('active');
    rmSync(folder);
    expect((await user.get(`/jobs/${jobId}?wait=20`)).as(jobShape)).toMatchObject({
      state: 'completed',
      result: { data: { text: answer } },
    });
  });

  test('can be read until its day is over; then its files go', async () => {
    const { envelope } = await user.call('lab_large', large());
    const jobId = envelope.metadata.job_id ?? '';
    await system.clock.advance(dayMs - hourMs);
    expect((await user.get(`/jobs/${jobId}`)).as(jobShape).result?.data).toMatchObject({ counted: 30_000 });
    await system.clock.advance(4 * hourMs);
    expect((await user.get(`/jobs/${jobId}`)).status).toBe(404);
    // Workers look at their start, and every few minutes.
    await system.worker.kill();
    await system.worker.start();
    await eventually(() => files().every((name) => !name.startsWith(jobId)), { withinMs: 30_000, what: 'the file of yesterday gone' });
  });
});
