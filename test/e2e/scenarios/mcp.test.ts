// The MCP door as clients of both eras meet it: the official client, and plain HTTP where a client would not do such a thing.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { envelopeShape, eventually, jobShape, startTimeoutMs } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { rawRequest } from '../raw-request.js';
import { verifies } from '../verifies.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('the MCP door', () => {
  let lab: LabSystem;
  let key: string;

  beforeAll(async () => {
    lab = await startLabSystem({ gateways: 2 });
    key = await lab.system.tenant.key();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const connect = async (
    mode: 'auto' | 'legacy',
    { headers = {}, gateway = 0 }: { headers?: Record<string, string>; gateway?: number } = {},
  ) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, listChanged: {} });
    const url = new URL('/mcp', lab.system.gateways[gateway]?.url);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } } }),
    );
    return { client, [Symbol.asyncDispose]: () => client.close() };
  };

  describe.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('in mode %s', (mode, revision) => {
    verifies(['TU-88', 'TU-89', 'TU-125'], 'agrees on a revision and lists the tools with schemas and annotations', async () => {
      await using connection = await connect(mode);
      expect(connection.client.getNegotiatedProtocolVersion()).toBe(revision);
      const { tools } = await connection.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['calc_metrics', 'user_profile_lookup', 'lab_steps']));
      expect(tools.find(({ name }) => name === 'calc_metrics')).toMatchObject({
        title: 'Health metrics',
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object', required: ['success', 'status', 'metadata'] },
        annotations: { title: 'Health metrics', readOnlyHint: true, destructiveHint: false },
      });
      expect(tools.find(({ name }) => name === 'lab_effect')?.annotations).toMatchObject({ readOnlyHint: false });
    });

    verifies(['TU-44', 'TU-90'], 'answers a call with the envelope, as text and as structured content', async () => {
      await using connection = await connect(mode);
      const result = await connection.client.callTool({ name: 'calc_metrics', arguments: metrics });
      const envelope = envelopeShape.parse(result.structuredContent);
      expect(envelope).toMatchObject({ success: true, data: { bmi: 22.86 }, metadata: { tool_name: 'calc_metrics' } });
      expect(result.isError).toBeFalsy();
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
    });

    test('says what was wrong in a result, and that there is no such tool in a fault of the protocol', async () => {
      await using connection = await connect(mode);
      const refused = await connection.client.callTool({ name: 'calc_metrics', arguments: { ...metrics, age: 0, extra: 1 } });
      expect(refused.isError).toBe(true);
      expect(envelopeShape.parse(refused.structuredContent).error).toMatchObject({ code: 'INVALID_PARAMS', native_code: 'INVALID_INPUT' });
      await expect(connection.client.callTool({ name: 'calc_metric', arguments: {} })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining("'calc_metrics'"),
      });
    });

    verifies(['TU-44'], 'sends progress to those who asked for it, growing, before the result', async () => {
      await using connection = await connect(mode);
      const seen: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
      const result = await connection.client.callTool(
        { name: 'lab_steps', arguments: { order: `mcp-progress-${mode}`, steps: 4, step_ms: 80 } },
        { onprogress: (progress) => void seen.push(progress) },
      );
      expect(result.isError).toBeFalsy();
      expect(seen.map(({ progress }) => progress)).toEqual([0, 25, 50, 75, 100]);
      expect(seen.at(-1)).toMatchObject({ total: 100, message: 'Step 4 of 4' });
    });

    test('stops the work of a client that goes away', async () => {
      await using connection = await connect(mode);
      const order = `mcp-cancel-${mode}`;
      const controller = new AbortController();
      const call = connection.client.callTool(
        { name: 'lab_steps', arguments: { order, steps: 50, step_ms: 100 } },
        { signal: controller.signal },
      );
      await eventually(() => lab.ledger.of(order).notes.some(({ note }) => note === 'started'), { what: 'the tool to start' });
      controller.abort();
      await expect(call).rejects.toThrow();
      await eventually(() => lab.ledger.of(order).notes.some(({ note }) => note === 'aborted'), { what: 'the tool to stop' });
    });
  });

  const raw = async (body: object, { gateway = 0, headers = {} }: { gateway?: number; headers?: Record<string, string> } = {}) => {
    const { method, params } = rawShape.parse(body);
    const name = params.taskId ?? params.name ?? params.uri;
    return fetch(new URL('/mcp', lab.system.gateways[gateway]?.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  };
  const meta = (extensions: object = {}) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  });
  const withTasks = meta({ 'io.modelcontextprotocol/tasks': {} });
  const resultOf = async (response: Response) => answerShape.parse(await response.json()).result;

  describe('tasks', () => {
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

    test('outlive the gateway that began them and the worker that ran them', async () => {
      const { taskId } = taskShape.parse(
        await resultOf(
          await raw({
            method: 'tools/call',
            params: { name: 'lab_steps', arguments: { order: 'task-2', steps: 20, step_ms: 100 }, _meta: withTasks },
          }),
        ),
      );
      await eventually(() => lab.ledger.of('task-2').notes.some(({ note }) => note === 'started'), { what: 'the task to run' });
      await Promise.all([lab.system.gateway.kill(), lab.system.worker.kill()]);
      await Promise.all([lab.system.gateway.start(), lab.system.worker.start()]);
      const get = async () => taskShape.parse(await resultOf(await raw({ method: 'tasks/get', params: { taskId, _meta: withTasks } })));
      const done = await eventually(async () => (await get()).status === 'completed' && get(), {
        withinMs: 40_000,
        what: 'the task to end after both were killed',
      });
      expect(envelopeShape.parse(done.result?.structuredContent)).toMatchObject({ success: true, data: { steps: 20 } });
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

  describe('lets in', () => {
    test('nobody without a credential, and says where one is had', async () => {
      const response = await raw({ method: 'tools/list', params: { _meta: meta() } }, { headers: { authorization: '' } });
      expect(response.status).toBe(401);
      const challenge = response.headers.get('www-authenticate') ?? '';
      const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
      expect(challenge).toMatch(/^Bearer .*scope="tools:read tools:write stripe:links"/);
      const metadata = await (await fetch(metadataUrl)).json();
      expect(metadata).toMatchObject({
        resource: `${lab.system.gateway.url}/mcp`,
        bearer_methods_supported: ['header'],
        scopes_supported: ['tools:read', 'tools:write', 'stripe:links'],
      });
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_001 } });
    });

    test('no page of a stranger, and nobody by a name that is not ours', async () => {
      const list = { method: 'tools/list', params: { _meta: meta() } };
      expect((await raw(list, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
      expect((await raw(list, { headers: { origin: 'null' } })).status).toBe(403);
      expect((await raw(list, { headers: { origin: 'http://localhost:5173' } })).status).toBe(200);
      const lines = ['POST /mcp HTTP/1.1', 'Host: evil.example', `Authorization: Bearer ${key}`, 'Content-Length: 0', 'Connection: close'];
      expect((await rawRequest(lab.system.gateway.url, `${lines.join('\r\n')}\r\n\r\n`)).status).toBe(403);
    });

    test('no message that is none: bad JSON, other media, too much of it, a header that says otherwise', async () => {
      const send = (body: string, headers: Record<string, string> = {}) =>
        fetch(new URL('/mcp', lab.system.gateway.url), {
          method: 'POST',
          body,
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        });
      expect(await (await send('{')).json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_700 } });
      expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
      expect((await send(JSON.stringify('x'.repeat(300_000)))).status).toBe(413);
      const list = { method: 'tools/list', params: { _meta: meta() } };
      expect(await (await raw(list, { headers: { 'mcp-method': 'tools/call' } })).json()).toMatchObject({ error: { code: -32_020 } });
      expect(await (await raw({ method: 'no/such', params: { _meta: meta() } })).json()).toMatchObject({ error: { code: -32_601 } });
    });
  });
});

const rawShape = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.string().optional(), uri: z.string().optional(), taskId: z.string().optional() }),
});
const answerShape = z.looseObject({ result: z.looseObject({}) });
const taskShape = z.looseObject({
  taskId: z.string(),
  status: z.string(),
  result: z.looseObject({ structuredContent: z.unknown() }).optional(),
});
