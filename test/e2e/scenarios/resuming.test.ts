import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedShape, envelopeShape, jobShape, startTimeoutMs, type HttpCaller, type StreamEvent, type System } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const idsOf = (events: readonly StreamEvent[]) => events.map(({ id }) => id);

describe('a stream', () => {
  let lab: LabSystem;
  let system: System;
  /** The same user at each of two gateways. */
  let users: readonly HttpCaller[];

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2 });
    system = lab.system;
    const user = await system.caller();
    users = system.gateways.map(({ url }) => user.at(url));
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const at = (turn: number): HttpCaller => {
    const user = users[turn % users.length];
    if (!user) throw new Error('no gateway');
    return user;
  };
  const startSteps = async (order: string, steps: number, step_ms: number) =>
    (await at(0).post('/tools/lab_steps', { order, steps, step_ms }, { prefer: 'respond-async' })).as(acceptedShape);
  /** The deadline of a call lies a minute back, as it does a minute after a call that was waited for. */
  const movePastDeadline = async (jobId: string) => {
    const record = (await system.redis.keys()).find((name) => name.endsWith(jobId) && name.includes(':invocation:')) ?? '';
    expect(await system.redis.redis.hset(record, 'deadline', Date.now() - 60_000)).toBe(0);
  };
  const runs = (order: string) => lab.ledger.of(order).notes.filter(({ note }) => note === 'started').length;

  verifies(['TU-43', 'TU-36', 'TU-31'], 'is whole for a reader that is cut again and again and comes back to either gateway', async () => {
    const { links } = await startSteps('cut-often', 25, 60);
    const seen: StreamEvent[] = [];
    for (let turn = 0; seen.at(-1)?.event !== 'tool_result'; turn++) {
      const last = seen.at(-1)?.id;
      const byQuery = last && turn % 3 === 0 ? `?lastEventId=${last}` : '';
      await using stream = await at(turn).stream(
        `${links.events}${byQuery}`,
        last && !byQuery ? { headers: { 'last-event-id': last } } : {},
      );
      for (let taken = 0; taken < 1 + (turn % 4); taken++) {
        const event = await stream.next();
        if (!event) break;
        seen.push(event);
      }
    }
    await using whole = await at(1).stream(links.events);
    expect(seen).toEqual(await whole.rest());
    expect(seen.map(({ event, data }) => (event === 'tool_progress' ? data : event))).toMatchObject([
      ...Array.from({ length: 26 }, (_, step) => ({ progress: step * 4 })),
      'tool_result',
    ]);
    expect(new Set(idsOf(seen)).size).toBe(seen.length);
    expect(idsOf(seen).map((id) => Number(/_(\d+)$/.exec(id)?.[1]))).toEqual(Array.from({ length: 27 }, (_, index) => index + 1));
    expect(runs('cut-often')).toBe(1);
  });

  verifies(['TU-43', 'TU-15'], 'of GET /tools/{name}/sse is resumed there without running the tool again', async () => {
    const path = '/tools/lab_steps/sse?order=resumed&steps=8&step_ms=60';
    await using first = await at(0).stream(path);
    const before = await first.take(3);
    first.close();
    await using second = await at(1).stream(path, { headers: { 'last-event-id': before.at(-1)?.id ?? '' } });
    const after = await second.rest();
    expect([...before, ...after].map(({ data }) => data)).toMatchObject([
      ...[0, 13, 25, 38, 50, 63, 75, 88, 100].map((progress) => ({ progress })),
      { success: true },
    ]);
    expect(runs('resumed')).toBe(1);
    await using again = await at(0).stream(`${path}&lastEventId=${after.at(-2)?.id}`);
    expect(await again.rest()).toEqual(after.slice(-1));
  });

  verifies(['TU-43', 'TU-36'], 'of a call that ended is whole after the deadline of the call has passed, at every gateway', async () => {
    const path = '/tools/lab_steps/sse?order=long-over&steps=3&step_ms=5';
    await using live = await at(0).stream(path);
    const events = await live.rest();
    const { data } = events.at(-1) ?? {};
    const jobId = envelopeShape.parse(data).metadata.job_id ?? '';
    await movePastDeadline(jobId);
    for (let turn = 0; turn < 12; turn++) {
      await using replay = await at(turn).stream(`/jobs/${jobId}/events`);
      expect(await replay.rest()).toEqual(events);
      await using resumed = await at(turn).stream(path, { headers: { 'last-event-id': events[1]?.id ?? '' } });
      expect(await resumed.rest()).toEqual(events.slice(2));
    }
    const job = (await at(1).get(`/jobs/${jobId}`)).as(jobShape);
    expect(job).toMatchObject({ state: 'completed', result: data });
  });

  verifies(['TU-43'], 'gives 204 when nothing is left, and for an id that it cannot resume', async () => {
    const path = '/tools/lab_steps/sse?order=spent&steps=1&step_ms=10';
    await using stream = await at(0).stream(path);
    const last = (await stream.rest()).at(-1)?.id ?? '';
    for (const id of [last, `evt_profile_${'0'.repeat(32)}_3`, 'evt_20240305_abc123', 'nonsense']) {
      const reply = await at(1).get(path, { accept: 'text/event-stream', 'last-event-id': id });
      expect({ id, status: reply.status, text: reply.text }).toEqual({ id, status: 204, text: '' });
    }
    expect(runs('spent')).toBe(1);
  });

  test('of another caller cannot be resumed, whatever ids are known', async () => {
    const { job_id, links } = await startSteps('private', 1, 10);
    await using stream = await at(0).stream(links.events);
    const [first] = await stream.rest();
    const other = await system.caller({ userId: 'user_other' });
    expect((await other.get(links.events, { 'last-event-id': first?.id ?? '' })).status).toBe(404);
    const reply = await other.get('/tools/lab_steps/sse?order=mine&steps=1&step_ms=10', {
      accept: 'text/event-stream',
      'last-event-id': first?.id ?? '',
    });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await at(1).get(`/jobs/${job_id}`)).as(jobShape).state).toBe('completed');
  });

  test('is the same for many readers at both gateways at once', async () => {
    const { links } = await startSteps('watched', 10, 60);
    const streams = await Promise.all(Array.from({ length: 40 }, (_, index) => at(index).stream(links.events)));
    const all = await Promise.all(streams.map((stream) => stream.rest()));
    for (const events of all) expect(events).toEqual(all[0]);
    expect(all[0]).toHaveLength(12);
  });

  test('goes on in the worker when its only reader goes away', async () => {
    await using stream = await at(0).stream('/tools/lab_steps/sse?order=left-alone&steps=3&step_ms=80');
    const [first] = await stream.take(1);
    stream.close();
    const job = `inv_${/^evt_(.+)_\d+$/.exec(first?.id ?? '')?.[1]}`;
    expect((await at(1).get(`/jobs/${job}?wait=10`)).as(jobShape)).toMatchObject({ state: 'completed', result: { success: true } });
  });

  test('can be read again after its end, from its beginning', async () => {
    const { job_id, links } = await startSteps('later', 2, 10);
    await at(0).get(`/jobs/${job_id}?wait=10`);
    await using stream = await at(1).stream(links.events);
    expect((await stream.rest()).map(({ event }) => event)).toEqual(['tool_progress', 'tool_progress', 'tool_progress', 'tool_result']);
  });
});
