// What is left of a call when its deadline, its life or a window has passed: both sides of each, by a clock that the test moves.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  acceptedShape,
  dayMs,
  eventually,
  hourMs,
  HttpCaller,
  jobShape,
  minuteMs,
  secondMs,
  startTimeoutMs,
  type StreamEvent,
} from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { resultOf, sendMessage, taskShape, withTasks } from '../mcp-messages.js';
import { verifies } from '../verifies.js';

const newTicket = z.looseObject({ ticket: z.string() });
const newKey = z.looseObject({ id: z.string(), key: z.string() });
/** Real time that a test may take between two moves of the clock. */
const marginMs = 30 * secondMs;

describe('time passes', () => {
  let lab: LabSystem;
  let key: string;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['workers'], gateways: 2 });
    key = await lab.system.tenant.key();
    user = await lab.system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const advance = (ms: number) => lab.system.clock.advance(ms);
  const startSteps = async (order: string) => {
    const reply = await user.post('/tools/lab_steps', { order, steps: 2, step_ms: 0 }, { prefer: 'respond-async' });
    const { job_id: jobId, links } = reply.as(acceptedShape);
    expect((await user.get(`${links.self}?wait=20`)).as(jobShape).state).toBe('completed');
    return { jobId, links };
  };
  const message = async (method: string, params: object) =>
    sendMessage(lab.system.gateway.url, { method, params: { ...params, _meta: withTasks } }, { authorization: `Bearer ${key}` });
  /** Keys of one call, without the queue's own job: its input is masked, and later jobs push it out. */
  const recordsOf = async (jobId: string) =>
    (await lab.system.redis.keys()).filter((name) => name.includes(jobId) && !name.includes('}:profile:'));
  const kindsOf = (events: readonly StreamEvent[]) => events.map(({ event }) => event);
  const allKinds = ['tool_progress', 'tool_progress', 'tool_progress', 'tool_result'];

  describe('after the end of a call', () => {
    // Time of the describe block runs on from test to test.
    let ended: Awaited<ReturnType<typeof startSteps>>;
    let asStream: { readonly path: string; readonly events: readonly StreamEvent[] };
    let withTicket: { readonly path: string; readonly events: readonly StreamEvent[] };
    let taskId: string;
    let passedMs = 0;

    beforeAll(async () => {
      ended = await startSteps('ended');
      const read = async (caller: HttpCaller, path: string) => {
        await using stream = await caller.stream(path);
        return { path, events: await stream.rest() };
      };
      asStream = await read(user, '/tools/lab_steps/sse?order=streamed&steps=2&step_ms=0');
      const { ticket } = (await user.post('/tickets', {})).as(newTicket);
      withTicket = await read(lab.system.anonymous, `/tools/lab_steps/sse?order=ticket&steps=2&step_ms=0&ticket=${ticket}`);
      const task = { name: 'lab_steps', arguments: { order: 'task', steps: 2, step_ms: 0 } };
      taskId = taskShape.parse(await resultOf(await message('tools/call', task))).taskId;
      expect((await user.get(`/jobs/${taskId}?wait=20`)).as(jobShape).state).toBe('completed');
    });

    const passUntil = async (ms: number) => {
      await advance(ms - passedMs);
      passedMs = ms;
    };
    /** Reads a stream again after its first event. */
    const resume = (caller: HttpCaller, { path, events }: typeof asStream) =>
      caller.stream(path, { headers: { 'last-event-id': events[0]?.id ?? '' } });

    // The deadline of these calls is a minute after their start.
    describe.each([
      ['at once', 0],
      ['two minutes after it', 2 * minuteMs],
      ['23 hours after it', 23 * hourMs],
    ])('%s', (_when, ms) => {
      beforeAll(() => passUntil(ms));

      verifies(['TU-43'], 'the events of a job are all there, each once', async () => {
        // Read several times: what goes wrong by chance must not pass by chance.
        for (let time = 0; time < 5; time++) {
          await using stream = await user.stream(ended.links.events);
          expect(kindsOf(await stream.rest())).toEqual(allKinds);
        }
      });

      verifies(['TU-43'], 'a stream can be resumed after any event', async () => {
        for (const [index, { id }] of asStream.events.slice(0, -1).entries()) {
          await using stream = await user.stream(asStream.path, { headers: { 'last-event-id': id } });
          expect(await stream.rest()).toEqual(asStream.events.slice(index + 1));
        }
      });

      test('a used ticket still resumes its stream, and starts no other call', async () => {
        await using stream = await resume(lab.system.anonymous, withTicket);
        expect(await stream.rest()).toEqual(withTicket.events.slice(1));
        expectRefusal(await lab.system.anonymous.get(withTicket.path), { status: 401, code: 'UNAUTHORIZED' });
      });

      test('the job and the MCP task tell the result', async () => {
        expect((await user.get(ended.links.self)).as(jobShape)).toMatchObject({ state: 'completed', result: { success: true } });
        expect(await resultOf(await message('tasks/get', { taskId }))).toMatchObject({
          status: 'completed',
          result: { structuredContent: { success: true, data: { order: 'task', steps: 2 } } },
        });
        await using stream = await user.stream(`/jobs/${taskId}/events`);
        expect(kindsOf(await stream.rest())).toEqual(allKinds);
      });
    });

    describe('24 hours after it', () => {
      beforeAll(() => passUntil(24 * hourMs + marginMs));

      test('job, events and task are not found', async () => {
        for (const path of [ended.links.self, ended.links.events]) expect([path, (await user.get(path)).status]).toEqual([path, 404]);
        expect(await (await message('tasks/get', { taskId })).json()).toMatchObject({ error: { message: expect.any(String) } });
        expect((await user.get('/jobs')).body).toMatchObject({ jobs: [] });
      });

      test('a stream cannot be resumed, with a ticket or without, and nothing runs again', async () => {
        const headers = { accept: 'text/event-stream', 'last-event-id': asStream.events[0]?.id ?? '' };
        expect((await user.get(asStream.path, headers)).status).toBe(204);
        expectRefusal(await lab.system.anonymous.get(withTicket.path, headers), { status: 401, code: 'UNAUTHORIZED' });
        for (const order of ['ended', 'streamed', 'ticket', 'task'])
          expect(lab.ledger.of(order).notes.filter(({ note }) => note === 'started')).toHaveLength(1);
      });

      test('Redis holds no record of the call', async () => expect(await recordsOf(ended.jobId)).toEqual([]));
    });
  });

  verifies(['TU-15'], 'an idempotency key stands for its first call for 24 hours, then for a new one', async () => {
    const headers = { 'idempotency-key': 'a-day' };
    const first = await user.call('lab_effect', { order: 'a-day' }, headers);
    await advance(dayMs - marginMs);
    const replayed = await user.call('lab_effect', { order: 'a-day' }, headers);
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    // Asking again does not make its life longer.
    await advance(2 * marginMs);
    const again = await user.call('lab_effect', { order: 'a-day' }, headers);
    expectSuccess(again.envelope);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(lab.ledger.of('a-day').effects).toHaveLength(2);
  });

  test('a key works until it expires', async () => {
    const expiresAt = lab.system.clock.now + hourMs;
    const caller = await lab.system.caller({ expiresAt: new Date(expiresAt) });
    await lab.system.clock.advanceTo(expiresAt - marginMs);
    expect((await caller.get('/tools')).status).toBe(200);
    await lab.system.clock.advanceTo(expiresAt + 1);
    expectRefusal(await caller.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
  });

  test('a revoked key works nowhere a second later', async () => {
    const admin = await lab.system.admin();
    const { id, key: text } = (
      await admin.post('/keys', { tenant_id: lab.system.tenant.id, user_id: 'user_001', tier: 'pro', scopes: ['tools:read'] })
    ).as(newKey);
    const callers = lab.system.gateways.map(({ url }) => new HttpCaller(url, text));
    for (const caller of callers) expect((await caller.get('/tools')).status).toBe(200);
    expect((await admin.delete(`/keys/${id}`)).status).toBe(200);
    await advance(secondMs);
    for (const caller of callers) expectRefusal(await caller.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
  });

  test.each([
    ['starts a call before its minute is over', -10, 200],
    ['is refused after its minute', 1, 401],
  ])('a fresh ticket %s', async (_what, beyondSeconds, status) => {
    const { ticket } = (await user.post('/tickets', {})).as(newTicket);
    await advance((60 + beyondSeconds) * secondMs);
    const path = `/tools/lab_steps/sse?order=late-${status}&steps=1&step_ms=0&ticket=${ticket}`;
    expect((await lab.system.anonymous.get(path, { accept: 'text/event-stream' })).status).toBe(status);
  });

  test('a trace is told for an hour, and not longer', async () => {
    const admin = await lab.system.admin();
    const { metadata } = (await user.call('lab_cached', { order: 'traced' })).envelope;
    const path = `/traces/${metadata.trace_id}`;
    // Both processes have written: what is written later begins a new hour.
    await eventually(
      async () => {
        const { text } = await admin.get(path);
        return text.includes('"kind":"server"') && text.includes('"kind":"consumer"');
      },
      { what: 'the whole trace' },
    );
    await advance(hourMs - marginMs);
    expect((await admin.get(path)).status).toBe(200);
    await advance(2 * marginMs);
    expect((await admin.get(path)).status).toBe(404);
  });

  test('the secret of a keyed call is told for as long as its record, and then nowhere', async () => {
    const { job_id: jobId } = (await user.call('lab_secret', { order: 'kept' }, { 'idempotency-key': 'kept' })).envelope.metadata;
    await advance(dayMs - marginMs);
    expect((await user.get(`/jobs/${jobId}`)).as(jobShape).result?.data).toMatchObject({
      link: 'https://ledger.test/once/canary-kept',
    });
    await advance(2 * marginMs);
    expect((await user.get(`/jobs/${jobId}`)).status).toBe(404);
    expect(await recordsOf(jobId ?? '')).toEqual([]);
  });

  test('a call that nobody took ends at its deadline, 24 hours after it was accepted', async () => {
    await lab.system.pauseWorkers();
    const reply = await user.post('/tools/lab_effect', { order: 'never' }, { prefer: 'respond-async' });
    const { links } = reply.as(acceptedShape);
    lab.system.worker.signal('SIGKILL');
    await lab.system.worker.exited;
    await advance(dayMs - marginMs);
    expect((await user.get(links.self)).as(jobShape).state).toBe('waiting');
    await advance(2 * marginMs);
    await lab.system.worker.start();
    expect((await user.get(`${links.self}?wait=20`)).as(jobShape)).toMatchObject({
      state: 'failed',
      result: { error: { code: 'TIMEOUT' } },
    });
    expect(lab.ledger.of('never').calls).toEqual([]);
  });

  test('ten days after the last call nothing is left in Redis but what has a bound', async () => {
    await advance(10 * dayMs);
    const { redis } = lab.system.redis;
    const lives = await Promise.all((await lab.system.redis.keys()).map(async (name) => ({ name, leftMs: await redis.pttl(name) })));
    // Jobs on the board, which workers forget every few minutes; what a queue has one of; what waits for the history; and how many
    // partitions each domain has.
    const isBounded = /}:(\w+:(inv_\w+|completed|failed|meta|marker|events)|ended|ended-together)$|^[\w-]+:partitions$/;
    expect(lives.filter(({ name, leftMs }) => leftMs === -1 && !isBounded.test(name))).toEqual([]);
  });
});
