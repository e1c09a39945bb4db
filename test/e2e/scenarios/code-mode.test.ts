// Code of a model calls tools: as its caller, within what its caller may do, and with a person asked before it changes anything.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { inputRequestPage, userScopes } from '#lib/contracts';
import { eventually, startTimeoutMs, type AppProcess, type HttpCaller } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { inProcess } from '../in-process.js';

const agent = { main: 'dist/apps/agent-worker/src/main.js', env: { DRAIN_MS: '200' } };
const answer = z.looseObject({
  data: z.looseObject({ result: z.unknown(), logs: z.array(z.string()), calls: z.int() }),
  metadata: z.looseObject({ job_id: z.string(), trace_id: z.string() }),
});
const refusal = z.looseObject({ error: z.looseObject({ code: z.string(), native_code: z.string().optional(), message: z.string() }) });
const rests = z.looseObject({ job_id: z.string(), state: z.literal('resting'), rest: z.looseObject({ input_request: z.string() }) });
const job = z.looseObject({ state: z.string(), result: z.unknown(), attempts_made: z.int() });
const metrics = `{ weight_kg: 80, height_cm: 178, age: 30, gender: 'male', activity_level: 'moderate' }`;

describe('code mode', () => {
  let lab: LabSystem;
  let user: HttpCaller;
  let boss: HttpCaller;
  let agents: readonly AppProcess[];
  beforeAll(async () => {
    lab = await startLabSystem({
      inProcess,
      apart: ['more'],
      gateways: 2,
      gatewayEnv: (index) => ({ CODE_MODE: index === 0 ? 'on' : 'off' }),
      more: [agent, agent],
    });
    agents = lab.system.more;
    user = await lab.system.caller({ tier: 'vip' });
    boss = await lab.system.caller({ userId: 'boss', tier: 'vip', scopes: [...userScopes, 'approvals'] });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const run = async (code: string, as = user, more: object = {}) => as.post('/tools/run_code', { code, ...more });
  const result = async (code: string, as = user) => (await run(code, as)).as(answer).data.result;
  const effects = (order: string) => lab.ledger.all().find((one) => one.order === order)?.effects.length ?? 0;
  /** Another process goes on where those that end have been. One is enough for that. */
  const startAnother = async () => agents[0]?.start();
  const decide = async (id: string, action = 'accept', as = boss) => as.post(`/input-requests/${id}`, { action });
  const ended = async (id: string) =>
    eventually(
      async () => {
        const shown = (await user.get(`/jobs/${id}?wait=5`)).as(job);
        return ['completed', 'failed', 'cancelled'].includes(shown.state) && shown;
      },
      { what: 'the end of the code', withinMs: 30_000 },
    );

  test('calls tools beside each other, each as a call of its own in its trace', async () => {
    const code = `const [a, b] = await Promise.all([tools.calc_metrics(${metrics}), tools.slow_compute({ seconds: 0.1, label: 'x' })]);
      console.log('two'); return { bmi: a.bmi, label: b.label }`;
    const { data, metadata } = (await run(code)).as(answer);
    expect(data).toEqual({ result: { bmi: 25.25, label: 'x' }, logs: ['two'], calls: 2 });
    const spans = await eventually(
      async () => {
        const trace = (await user.get(`/traces/${metadata.trace_id}`)).text;
        return ['run_code', 'calc_metrics', 'slow_compute'].every((name) => trace.includes(`attempt ${name}`));
      },
      { what: 'the spans of the run and both calls' },
    );
    expect(spans).toBe(true);
  });

  test('has no more than its caller: tools, scopes and the words of the refusal', async () => {
    const reader = await lab.system.caller({ scopes: ['tools:read'] });
    expect(
      await result(`return ['calc_metrics', 'lab_effect', 'lab_secret', 'run_code', 'chat_turn'].filter((name) => name in tools)`, reader),
    ).toEqual(['calc_metrics']);
    const narrow = await lab.system.caller({ tools: ['run_code', 'slow_*'] });
    expect(await result('return Object.keys(tools)', narrow)).toEqual(['slow_compute']);
    expect((await run('return tools.calc_metrics({})', narrow)).as(refusal).error).toMatchObject({
      code: 'INVALID_PARAMS',
      native_code: 'CODE_THREW',
      message: expect.stringMatching(/^Line 1: ReferenceError: tools\.calc_metrics: there is no such tool/),
    });
    expect(await result(`return tools.lab_secret({ order: 'x' }).catch(({ code, message }) => [code, message])`)).toEqual([
      'PERMISSION_DENIED',
      expect.stringContaining('have secrets'),
    ]);
    expect(effects('x')).toBe(0);
  });

  test('finds its functions by words, and none that it has not', async () => {
    const code = `const { tools: found } = await tools.$search('body mass index'); const [{ name, parameters }] = found;
      return { name, takes: Object.keys(parameters.properties).includes('weight_kg'), there: found.every((one) => one.name in tools) }`;
    expect(await result(code)).toEqual({ name: 'calc_metrics', takes: true, there: true });
    const narrow = await lab.system.caller({ tools: ['run_code', 'slow_*'] });
    expect(await result(`return (await tools.$search('body mass index compute seconds')).tools.map(({ name }) => name)`, narrow)).toEqual([
      'slow_compute',
    ]);
    expect(await result(`return tools.$search('').catch(({ code }) => code)`)).toBe('INVALID_PARAMS');
  });

  test('is off where the setting is', async () => {
    const off = user.at(lab.system.gateways[1]?.url ?? '');
    const refused = await off.post('/tools/run_code', { code: 'return 1' });
    expect([refused.status, refused.as(refusal).error.message]).toEqual([404, expect.stringContaining('CODE_MODE=on')]);
    const listed = async (as: HttpCaller) => (await as.get('/tools')).text.includes('"run_code"');
    expect([await listed(off), await listed(user)]).toEqual([false, true]);
  });

  test('waits for a person before it changes something, and goes on as it began', async () => {
    const order = randomUUID();
    const code = `const begun = [Date.now(), Math.random()];
      const [made, read] = await Promise.all([tools.lab_effect({ order: '${order}' }), tools.slow_compute({ seconds: 0, label: 'r' })]);
      return { made: made.order, read: read.label, begun }`;
    const { job_id: id, rest } = (await run(code)).as(rests);
    expect(effects(order)).toBe(0);
    expect((await boss.get('/input-requests?scope=tenant&state=open&tool=lab_effect')).as(inputRequestPage).input_requests).toMatchObject([
      { id: rest.input_request, kind: 'approval', message: expect.stringContaining('Code of a model'), arguments: { order } },
    ]);
    // Without the scope, who has the code run decides nothing.
    expect((await decide(rest.input_request, 'accept', user)).status).toBe(403);
    expect((await decide(rest.input_request)).status).toBe(200);
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      result: { success: true, data: { result: { made: order, read: 'r' }, calls: 2 } },
    });
    expect(effects(order)).toBe(1);
  });

  test('gets a no as an error, and asks one after the other', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const code = `const one = await tools.lab_effect({ order: '${first}' }).catch(({ code, message }) => code + ' ' + message);
      const two = await tools.lab_effect({ order: '${second}' }); return [one, two.order]`;
    const { job_id: id, rest } = (await run(code)).as(rests);
    expect((await decide(rest.input_request, 'decline')).status).toBe(200);
    const again = await eventually(
      async () => {
        const open = (await boss.get('/input-requests?scope=tenant&state=open&tool=lab_effect')).as(inputRequestPage).input_requests;
        return open.find(({ arguments: given }) => given?.['order'] === second);
      },
      { what: 'the second question' },
    );
    expect((await decide(again.id)).status).toBe(200);
    expect(await ended(id)).toMatchObject({ result: { data: { result: [expect.stringContaining('PERMISSION_DENIED'), second] } } });
    expect([effects(first), effects(second)]).toEqual([0, 1]);
  });

  test('that was cancelled cannot be approved any more', async () => {
    const orders: readonly string[] = [randomUUID(), randomUUID()];
    const code = `return Promise.all(${JSON.stringify(orders)}.map((order) => tools.lab_effect({ order })))`;
    const { job_id: id, rest } = (await run(code)).as(rests);
    const asked = await eventually(
      async () => {
        const open = (await boss.get('/input-requests?scope=tenant&state=open&tool=lab_effect')).as(inputRequestPage).input_requests;
        const ours = open.filter(({ arguments: given }) => orders.includes(String(given?.['order'])));
        return ours.length === 2 && ours;
      },
      { what: 'both questions' },
    );
    expect((await user.request(`/jobs/${id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    const [first, second] = asked.toSorted((a) => (a.id === rest.input_request ? -1 : 1));
    expect((await user.get(`/jobs/${first?.job_id}`)).as(job)).toMatchObject({ state: 'cancelled' });
    const late = await decide(second?.id ?? '');
    expect([late.status, late.as(refusal).error.message]).toEqual([409, expect.stringContaining('has ended')]);
    expect((await decide(second?.id ?? '', 'cancel', user)).status).toBe(200);
    expect(orders.map(effects)).toEqual([0, 0]);
  });

  test('that ends leaves no question behind', async () => {
    const order = randomUUID();
    const code = `tools.lab_effect({ order: '${order}' }).catch(() => {}); await tools.slow_compute({ seconds: 1 }); throw new Error('enough')`;
    // Nothing rests before the code is done with the reply of the slow call, and then it ends.
    expect((await run(code)).as(refusal).error.message).toBe('Line 1: Error: enough');
    await eventually(
      async () =>
        (await boss.get('/input-requests?scope=tenant&state=open&tool=lab_effect')).as(inputRequestPage).input_requests.length === 0,
      { what: 'no open question' },
    );
  });

  test('ends its calls when it is cancelled', async () => {
    const started = await user
      .with({ prefer: 'respond-async' })
      .post('/tools/run_code', { code: `await tools.slow_compute({ seconds: 60, label: 'long' })` });
    const { job_id: id } = started.as(z.looseObject({ job_id: z.string() }));
    const inner = async (state: string) => (await user.get(`/jobs?tool=slow_compute&state=${state}`)).text.includes('inv_profile');
    await eventually(async () => inner('active'), { what: 'the call of the code' });
    await user.request(`/jobs/${id}`, { method: 'DELETE' });
    expect(await ended(id)).toMatchObject({ state: 'cancelled' });
    await eventually(async () => !(await inner('active')), { what: 'the end of its call' });
  });

  test('survives its worker: no call that has ended is made again', async () => {
    const [before, after] = [randomUUID(), randomUUID()];
    const code = `const one = await tools.lab_large({ order: '${before}', text: 'abc' }); await tools.slow_compute({ seconds: 4, label: 'held' });
      const two = await tools.lab_large({ order: '${after}', text: 'abcd' }); return [one.counted, two.counted, Math.random()]`;
    const { job_id: id } = (await user.with({ prefer: 'respond-async' }).post('/tools/run_code', { code })).as(
      z.looseObject({ job_id: z.string() }),
    );
    const calls = async (tool: string) => JSON.parse((await user.get(`/jobs?tool=${tool}&state=active`)).text) as { jobs?: unknown[] };
    await eventually(async () => ((await calls('slow_compute')).jobs?.length ?? 0) > 0, { what: 'the call that is held' });
    await lab.system.killWorkers(...agents);
    await startAnother();
    const shown = await ended(id);
    expect(shown).toMatchObject({ state: 'completed', result: { success: true, data: { result: [3, 4, expect.any(Number)], calls: 3 } } });
    const jobs = z.looseObject({ jobs: z.array(z.unknown()) });
    expect((await user.get('/jobs?tool=lab_large')).as(jobs).jobs).toHaveLength(2);
  });

  test('survives its worker while a call that was approved makes its effect: it is made once', async () => {
    const order = randomUUID();
    const code = `const made = await tools.lab_effect({ order: '${order}' }); return made.order`;
    const { job_id: id, rest } = (await run(code)).as(rests);
    lab.ledger.script(order, { kind: 'delay', ms: 4_000 });
    expect((await decide(rest.input_request)).status).toBe(200);
    await eventually(() => lab.ledger.of(order).calls.length > 0, { what: 'the call of the upstream' });
    await lab.system.killWorkers(...agents);
    await startAnother();
    expect(await ended(id)).toMatchObject({ state: 'completed', result: { data: { result: order, calls: 1 } } });
    expect(effects(order)).toBe(1);
  });

  test('survives a worker that is stopped in order, also while it waits for a call that was approved', async () => {
    const order = randomUUID();
    const code = `const read = await tools.slow_compute({ seconds: 2, label: 'read' });
      const made = await tools.lab_effect({ order: '${order}' }); return [read.label, made.order]`;
    const { job_id: id } = (await user.with({ prefer: 'respond-async' }).post('/tools/run_code', { code })).as(
      z.looseObject({ job_id: z.string() }),
    );
    const stopped = async () => {
      await Promise.all(agents.map(async (one) => one.stop()));
      await startAnother();
    };
    await eventually(async () => (await user.get('/jobs?tool=slow_compute&state=active')).text.includes('inv_profile'), {
      what: 'the read',
    });
    await stopped();
    const asked = await eventually(
      async () => {
        const open = (await boss.get('/input-requests?scope=tenant&state=open&tool=lab_effect')).as(inputRequestPage).input_requests;
        return open.find(({ arguments: given }) => given?.['order'] === order);
      },
      { what: 'the question', withinMs: 30_000 },
    );
    lab.ledger.script(order, { kind: 'delay', ms: 4_000 });
    expect((await decide(asked.id)).status).toBe(200);
    await eventually(() => lab.ledger.of(order).calls.length > 0, { what: 'the call of the upstream' });
    await stopped();
    expect(await ended(id)).toMatchObject({ state: 'completed', result: { success: true, data: { result: ['read', order] } } });
    expect(effects(order)).toBe(1);
  });

  test.each([
    ['let a = ;', 'SYNTAX_ERROR', /^Line 1: SyntaxError/],
    ['for (;;);', 'RUNS_TOO_LONG', /too long/],
    ['const all = []; for (;;) all.push(new Array(1e5).fill(all))', 'OUT_OF_MEMORY', /too much memory/],
    ['for (;;) await tools.slow_compute({ seconds: 0, label: String(Math.random()) })', 'TOO_MANY_CALLS', /more than 100 calls/],
    [`return 'x'.repeat(1100000)`, 'RESULT_TOO_LARGE', /at most 1048576/],
    ['return () => 1', 'NOT_JSON', /function/],
    ['await new Promise(() => {})', 'NEVER_ENDS', /nothing can settle/],
    [`const large = await tools.lab_large({ order: 'l', answer_characters: 1200000 })`, 'CODE_THREW', /PAYLOAD_TOO_LARGE/],
  ])('%s ends as %s', async (code, native, message) => {
    expect((await run(code)).as(refusal).error).toMatchObject({ native_code: native, message: expect.stringMatching(message) });
  });

  test('that waits for too long says for what', async () => {
    const late = await run(`await tools.slow_compute({ seconds: 30 })`, user, { timeout_ms: 700 });
    expect([late.status, late.as(refusal).error]).toEqual([
      504,
      expect.objectContaining({ native_code: 'OUT_OF_TIME', message: 'The code has not ended within 700 ms; it waits for slow_compute' }),
    ]);
  });
});
