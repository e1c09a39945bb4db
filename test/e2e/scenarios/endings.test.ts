import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { acceptedShape, eventually, startTimeoutMs, type AppProcess, type EnvelopeReply, type HttpCaller, type System } from '#lib/testing';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

jest.setTimeout(startTimeoutMs);

const drainMs = 4_000;

describe('the end of a process', () => {
  let lab: LabSystem;
  let system: System;
  /** At the gateway that stays. */
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({
      inProcess,
      apart: ['gateway 2', 'workers'],
      gateways: 2,
      workers: 2,
      gatewayEnv: { DRAIN_MS: String(drainMs) },
      workerEnv: { DRAIN_MS: String(drainMs) },
    });
    system = lab.system;
    user = await system.caller();
    for (const { url } of system.gateways) await user.at(url).call('lab_cached', { order: `warm-${url}` });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose](), startTimeoutMs);

  const leaving = (): AppProcess => {
    const [, second] = system.gateways;
    if (!second) throw new Error('no second gateway');
    return second;
  };
  const workerOf = (pid: number): AppProcess => {
    const worker = system.workers.find((one) => one.pid === pid);
    if (!worker) throw new Error(`no worker ${pid}`);
    return worker;
  };
  const notes = (order: string, note: string) => lab.ledger.of(order).notes.filter((one) => one.note === note);
  const started = (order: string, times = 1) =>
    eventually(() => notes(order, 'started').length >= times, { withinMs: 30_000, what: `${order} started ${times} times` });

  const closes = 'closes its streams, which go on at another without a gap';
  const answers = 'answers the calls it has, refuses none before it is gone, and leaves with 0';
  verifies(['PL-11', 'TU-43'], `of a gateway by SIGTERM ${closes}; it ${answers}`, async () => {
    const path = '/tools/lab_steps/sse?order=moved&steps=20&step_ms=150';
    const open = user.at(leaving().url);
    await using first = await open.stream(path);
    const seen = [...(await first.take(4))];
    const inFlight = Array.from({ length: 10 }, (_, index) => open.call('lab_coalesced', { order: `drained-${index}`, work_ms: 1_000 }));
    await eventually(() => lab.ledger.of('drained-9').attempts.length > 0 && lab.ledger.of('drained-0').attempts.length > 0);
    const stopping = leaving().stop();
    for (let event = await first.next(); event; event = await first.next()) seen.push(event);
    expect(seen.at(-1)?.event).toBe('tool_progress');
    await using second = await user.stream(path, { headers: { 'last-event-id': seen.at(-1)?.id ?? '' } });
    expect(await stopping).toBe(0);
    for (const reply of await Promise.all(inFlight)) expect(reply.envelope.success).toBe(true);
    await expect(open.get('/healthz')).rejects.toThrow();
    seen.push(...(await second.rest()));
    expect(seen.map(({ event, data }) => (event === 'tool_progress' ? data : event))).toMatchObject([
      ...Array.from({ length: 21 }, (_, step) => ({ progress: step * 5 })),
      'tool_result',
    ]);
    expect(notes('moved', 'started')).toHaveLength(1);
    await leaving().start();
  });

  test('of a gateway by kill -9 loses nothing: asking again with the same key finds the same call', async () => {
    const key = { 'idempotency-key': 'killed-gateway' };
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'killed-gateway' });
    const lost = user.at(leaving().url).call('lab_effect', { order: 'killed-gateway' }, key);
    await hold.reached(1);
    await Promise.all([leaving().kill(), expect(lost).rejects.toThrow()]);
    const again = user.call('lab_effect', { order: 'killed-gateway' }, key);
    hold.release();
    const reply = await again;
    expect([reply.envelope.success, reply.headers.get('idempotent-replayed')]).toEqual([true, 'true']);
    expect(lab.ledger.of('killed-gateway').effects).toHaveLength(1);
  });

  verifies(['PL-10'], 'of a worker by kill -9 in the middle of a call costs its caller no answer, and no second effect', async () => {
    using hold = lab.ledger.hold('after-effect', { match: ({ order }) => order === 'killed-worker' });
    const call = user.call('lab_effect', { order: 'killed-worker' });
    await hold.reached(1);
    const worker = workerOf(hold.calls[0]?.pid ?? 0);
    await worker.kill();
    hold.release();
    const { envelope } = await call;
    expect(envelope).toMatchObject({ success: true, data: { order: 'killed-worker' } });
    const { calls, effects } = lab.ledger.of('killed-worker');
    expect([effects.length, new Set(calls.map(({ key }) => key)).size]).toEqual([1, 1]);
    expect(calls.length).toBeGreaterThanOrEqual(2);
    await worker.start();
  });

  verifies(['PL-10', 'TU-32'], 'of a worker by kill -9 leaves a stream whole: it goes on from where it was, with one end', async () => {
    await using stream = await user.stream('/tools/lab_steps/sse?order=killed-stream&steps=10&step_ms=300');
    await stream.take(3);
    const worker = workerOf(notes('killed-stream', 'started')[0]?.pid ?? 0);
    await system.killWorkers(worker);
    const rest = await stream.rest();
    expect(rest.at(-1)).toMatchObject({ event: 'tool_result', data: { data: { order: 'killed-stream' } } });
    expect(rest.filter(({ event }) => event !== 'tool_progress')).toHaveLength(1);
    expect(notes('killed-stream', 'started').length).toBe(2);
    await worker.start();
  });

  verifies(['PL-11', 'PL-10'], 'of a worker by SIGTERM lets a call end that can, and hands one that cannot to another worker', async () => {
    const { links } = (await user.post('/tools/lab_steps', { order: 'long', steps: 55, step_ms: 1_000 }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    await started('long');
    const worker = workerOf(notes('long', 'started')[0]?.pid ?? 0);
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order.startsWith('quick') });
    const quick: Promise<EnvelopeReply>[] = [];
    // Calls go to either worker; as many as it takes for one to be there.
    while (!hold.calls.some(({ pid }) => pid === worker.pid)) {
      quick.push(user.call('lab_effect', { order: `quick-${quick.length}` }));
      await hold.reached(quick.length);
    }
    const stopping = worker.stop();
    await eventually(async () => (await system.anonymous.at(worker.url).get('/readyz')).status === 503, {
      what: 'a worker that is stopping saying so',
    });
    hold.release();
    for (const reply of await Promise.all(quick)) expect(reply.envelope).toMatchObject({ success: true, metadata: { attempts: 1 } });
    const handedOver = await eventually(() => notes('long', 'started')[1], {
      withinMs: drainMs + 20_000,
      what: 'the long call at another worker',
    });
    expect(system.workers.map(({ pid }) => pid)).toContain(handedOver.pid);
    expect(await stopping).toBe(0);
    expect((await user.delete(links.cancel)).status).toBe(202);
  });
});
