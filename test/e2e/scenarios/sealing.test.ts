import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedShape, eventually, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectSuccess } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

const linkOf = (order: string) => `https://ledger.test/once/canary-${order}`;
const personal = 'patient-canary-4711';

describe('a secret in an answer', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2, gatewayEnv: { LOG_LEVEL: 'trace' }, workerEnv: { LOG_LEVEL: 'trace' } });
    system = lab.system;
    user = await system.caller();
    admin = await system.admin();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  /** Everything that somebody other than the caller can look at. */
  const seen = async (): Promise<string> => {
    const board = await admin.get('/admin/queues/api/queues?activeQueue=profile&status=latest&page=1&jobsPerPage=100');
    expect(board.status).toBe(200);
    const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('\n');
    const metrics = await Promise.all([admin.get('/metrics'), system.anonymous.at(system.worker.url).get('/metrics')]);
    return [await system.redis.everything(), board.text, printed, ...metrics.map(({ text }) => text)].join('\n');
  };

  test('reaches its caller in clear on every door', async () => {
    expect(expectSuccess((await user.call('lab_secret', { order: 'json', note: personal })).envelope)).toMatchObject({
      link: linkOf('json'),
    });
    await using stream = await user.stream('/tools/lab_secret/sse', { method: 'POST', json: { order: 'stream', note: personal } });
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: { link: linkOf('stream') } } });
    const { links } = (await user.post('/tools/lab_secret', { order: 'job', note: personal }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    expect((await user.get(`${links.self}?wait=10`)).as(jobShape).result?.data).toMatchObject({ link: linkOf('job') });
    await using events = await user.at(system.gateways[1]?.url ?? '').stream(links.events);
    expect((await events.rest()).at(-1)).toMatchObject({ data: { data: { link: linkOf('job') } } });
    const batch = await user.post('/tools/batch', {
      calls: [{ id: 1, name: 'lab_secret', arguments: { order: 'batch', note: personal } }],
    });
    expect(batch.text).toContain(linkOf('batch'));
  });

  test('is nowhere in Redis, on the board, in logs or metrics; personal parameters are masked there', async () => {
    await user.call('lab_secret', { order: 'hidden', note: personal });
    const { metadata } = (await user.call('lab_fail', { order: 'board-failure', kind: 'internal', times: 99 })).envelope;
    await eventually(() => system.logs().some((line) => line.event === 'call-end' && line['trace_id'] === metadata.trace_id), {
      what: 'the logs being written',
    });
    const everything = await seen();
    expect(everything).toContain('lab_secret');
    expect(everything).not.toMatch(/ledger\.test\/once|once\/canary/);
    const outsideRecords = everything
      .split('\n')
      .filter((line) => !/^\{[^}]+\}:invocation:/.test(line))
      .join('\n');
    expect(outsideRecords).not.toContain(personal);
    expect(everything).toContain('[redacted]');
  });

  test('stays sealed for an administrator who reads the job', async () => {
    const { metadata } = (await user.call('lab_secret', { order: 'admin' })).envelope;
    const reply = await admin.get(`/jobs/${metadata.job_id}`);
    expect(reply.as(jobShape).result).toMatchObject({ success: true, data: { sealed: true } });
    expect(reply.text).not.toContain('canary');
    await using stream = await admin.stream(`/jobs/${metadata.job_id}/events`);
    expect(JSON.stringify(await stream.rest())).not.toContain('canary');
  });

  test('is not in the traces', async () => {
    const { metadata } = (await user.call('lab_secret', { order: 'traced', note: personal })).envelope;
    const reply = await admin.get(`/traces/${metadata.trace_id}`);
    expect(reply.text).not.toMatch(/canary/);
  });

  verifies(['TU-15'], 'of a repeated click is a new one, and of a repeated key the same', async () => {
    const clicks = [await user.call('lab_secret', { order: 'click' }), await user.call('lab_secret', { order: 'click' })];
    expect(new Set(clicks.map(({ envelope }) => envelope.metadata.job_id)).size).toBe(2);
    expect(lab.ledger.of('click').effects).toHaveLength(2);
    const key = { 'idempotency-key': 'secret' };
    const keyed = [await user.call('lab_secret', { order: 'keyed' }, key), await user.call('lab_secret', { order: 'keyed' }, key)];
    expect(keyed[1]?.text).toBe(keyed[0]?.text);
    expect(lab.ledger.of('keyed').effects).toHaveLength(1);
  });
});
