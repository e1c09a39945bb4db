// A call over MCP may become a task: a durable job that any gateway tells of.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelopeShape, eventually, jobShape, startTimeoutMs } from '#lib/testing';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { meta, resultOf, sendMessage, taskShape, withTasks } from '../mcp-messages.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('MCP tasks', () => {
  let lab: LabSystem;
  let key: string;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, apart: ['gateway 1', 'workers'], gateways: 2 });
    key = await lab.system.tenant.key();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const raw = async (body: object, { gateway = 0, headers = {} }: { gateway?: number; headers?: Record<string, string> } = {}) =>
    sendMessage(lab.system.gateways[gateway]?.url, body, { authorization: `Bearer ${key}`, ...headers });

  test('turn long work into a job that any gateway tells of, with the result in it at the end', async () => {
    const created = taskShape.parse(
      await resultOf(
        await raw({
          method: 'tools/call',
          params: { name: 'lab_steps', arguments: { order: 'task-1', steps: 3, step_ms: 100 }, _meta: withTasks },
        }),
      ),
    );
    expect(created).toMatchObject({
      resultType: 'task',
      status: 'working',
      pollIntervalMs: expect.any(Number),
      ttlMs: expect.any(Number),
    });
    const get = async () =>
      taskShape.parse(
        await resultOf(await raw({ method: 'tasks/get', params: { taskId: created.taskId, _meta: withTasks } }, { gateway: 1 })),
      );
    const done = await eventually(async () => (await get()).status === 'completed' && get(), { what: 'the task to end' });
    expect(envelopeShape.parse(done.result?.structuredContent)).toMatchObject({ success: true, data: { order: 'task-1', steps: 3 } });
    // A task is a job by another name.
    expect((await (await lab.system.caller()).get(`/jobs/${created.taskId}`)).as(jobShape)).toMatchObject({ state: 'completed' });
  });

  test('outlive the gateway that began them and the worker that ran them, and can be cancelled while both are dead', async () => {
    const begin = async (order: string, steps: number) => {
      const call = { name: 'lab_steps', arguments: { order, steps, step_ms: 100 }, _meta: withTasks };
      const { taskId } = taskShape.parse(await resultOf(await raw({ method: 'tools/call', params: call })));
      await eventually(() => lab.ledger.of(order).notes.some(({ note }) => note === 'started'), { what: `${order} to run` });
      return { taskId, _meta: withTasks };
    };
    const [outliving, cancelled] = [await begin('task-2', 40), await begin('task-6', 200)];
    await Promise.all([lab.system.gateway.kill(), lab.system.killWorkers(lab.system.worker)]);
    const at = { gateway: 1 };
    expect(await resultOf(await raw({ method: 'tasks/get', params: cancelled }, at))).toMatchObject({ status: 'working' });
    expect((await raw({ method: 'tasks/cancel', params: cancelled }, at)).status).toBe(200);
    expect(await resultOf(await raw({ method: 'tasks/get', params: cancelled }, at))).toMatchObject({ status: 'cancelled' });
    await Promise.all([lab.system.gateway.start(), lab.system.worker.start()]);
    expect(await resultOf(await raw({ method: 'tasks/get', params: cancelled }))).toMatchObject({ status: 'cancelled' });
    const get = async () => taskShape.parse(await resultOf(await raw({ method: 'tasks/get', params: outliving })));
    const done = await eventually(async () => (await get()).status === 'completed' && get(), {
      withinMs: 40_000,
      what: 'the task to end after both were killed',
    });
    expect(envelopeShape.parse(done.result?.structuredContent)).toMatchObject({ success: true, data: { steps: 40 } });
    // A worker that finds the cancelled job again does not run it.
    const quick = { name: 'lab_steps', arguments: { order: 'task-7', steps: 1, step_ms: 0 }, _meta: meta() };
    expect(await resultOf(await raw({ method: 'tools/call', params: quick }))).toMatchObject({ structuredContent: { success: true } });
    expect(lab.ledger.of('task-6').notes.filter(({ note }) => note === 'started')).toHaveLength(1);
  });

  test('keep what their call asked to be added', async () => {
    const _meta = { ...withTasks, 'invoq/options': { metacognition: true, debug: true } };
    const { taskId } = taskShape.parse(
      await resultOf(
        await raw({ method: 'tools/call', params: { name: 'lab_steps', arguments: { order: 'task-8', steps: 1, step_ms: 0 }, _meta } }),
      ),
    );
    const get = async () =>
      taskShape.parse(await resultOf(await raw({ method: 'tasks/get', params: { taskId, _meta: withTasks } }, { gateway: 1 })));
    const done = await eventually(async () => (await get()).status === 'completed' && get(), { what: 'the task to end' });
    expect(envelopeShape.parse(done.result?.structuredContent)).toMatchObject({
      metadata: { metacognition: { checked: true } },
      debug_info: { retry_count: 0 },
    });
  });

  test('are cancelled from another gateway, and again without harm', async () => {
    const { taskId } = taskShape.parse(
      await resultOf(
        await raw({
          method: 'tools/call',
          params: { name: 'lab_steps', arguments: { order: 'task-3', steps: 200, step_ms: 100 }, _meta: withTasks },
        }),
      ),
    );
    await eventually(() => lab.ledger.of('task-3').notes.some(({ note }) => note === 'started'), { what: 'the task to run' });
    for (const gateway of [1, 0])
      expect((await raw({ method: 'tasks/cancel', params: { taskId, _meta: withTasks } }, { gateway })).status).toBe(200);
    expect(await resultOf(await raw({ method: 'tasks/get', params: { taskId, _meta: withTasks } }))).toMatchObject({
      status: 'cancelled',
    });
    await eventually(() => lab.ledger.of('task-3').notes.some(({ note }) => note === 'aborted'), { what: 'the tool to stop' });
  });

  test('are told to nobody else, and to nobody who cannot read them', async () => {
    const { taskId } = taskShape.parse(
      await resultOf(
        await raw({
          method: 'tools/call',
          params: { name: 'lab_steps', arguments: { order: 'task-4', steps: 1, step_ms: 0 }, _meta: withTasks },
        }),
      ),
    );
    const stranger = await lab.system.tenant.key({ userId: 'user_other' });
    for (const [params, headers] of [
      [{ taskId, _meta: withTasks }, { authorization: `Bearer ${stranger}` }],
      [{ taskId: 'inv_profile_00000000000000000000000000000000', _meta: withTasks }, {}],
    ] as const)
      expect(await (await raw({ method: 'tasks/get', params }, { headers })).json()).toMatchObject({ error: { code: -32_602 } });
    expect(await (await raw({ method: 'tasks/get', params: { taskId, _meta: meta() } })).json()).toMatchObject({
      error: { code: -32_021 },
    });
  });

  test('are not made of what is done at once, nor for those who did not ask', async () => {
    const quick = await resultOf(
      await raw({ method: 'tools/call', params: { name: 'calc_metrics', arguments: metrics, _meta: withTasks } }),
    );
    expect(quick).toMatchObject({ resultType: 'complete', structuredContent: { success: true } });
    const plain = { name: 'lab_steps', arguments: { order: 'task-5', steps: 2, step_ms: 10 }, _meta: meta() };
    expect(await resultOf(await raw({ method: 'tools/call', params: plain }))).toMatchObject({ resultType: 'complete' });
  });
});
