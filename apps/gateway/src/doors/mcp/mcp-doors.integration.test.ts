// Tool calls, tasks, progress and cancelling over MCP, message by message, at a real gateway.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, HttpCaller, jobShape, startTimeoutMs } from '#lib/testing';
import { readServerSentEvents } from '#lib/client';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

const modern = '2026-07-28';
const tasksExtension = 'io.modelcontextprotocol/tasks';
let gateway: TestGateway;
let key: string;
let user: HttpCaller;
const held = new Map<string, () => void>();

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ jobId, head, attempt, store }) => {
      const order = String(head.input['order']);
      const report = (progress: number) =>
        store.attempts.progress(jobId, attempt, { kind: 'progress', progress, message: `${progress} %` });
      if (order === 'sold out')
        return { ok: false, error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', message: 'None left' } };
      if (order === 'steps') for (const progress of [20, 10, 50]) await report(progress);
      if (order.startsWith('held')) await new Promise<void>((resolve) => held.set(order, resolve));
      return { ok: true, data: { made: order } };
    },
  });
  key = await gateway.tenant.key();
  user = new HttpCaller(gateway.url, key);
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

interface Message {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client says of itself; null for a client of an older revision. */
  readonly capabilities?: object | null;
  readonly signal?: AbortSignal;
  readonly id?: number;
  /** Of the address. */
  readonly query?: string;
}

async function send(
  { method, params }: Message,
  { headers = {}, capabilities = {}, signal, id = 1, query = '' }: Sending = {},
): Promise<Response> {
  const named = params['taskId'] ?? params['name'];
  const meta = capabilities && {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return fetch(new URL(`/mcp${query}`, gateway.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': capabilities ? modern : '2025-06-18',
      ...(capabilities && { 'mcp-method': method, ...(typeof named === 'string' && { 'mcp-name': named }) }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      ...(method.startsWith('notifications/') ? {} : { id }),
      method,
      params: { ...params, ...(meta && { _meta: { ...meta, ...Object(params['_meta']) } }) },
    }),
    ...(signal && { signal }),
  });
}

const message = z.looseObject({
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

/** Every message of an answer, which is one of JSON or a stream of them. */
async function messagesOf(response: Response): Promise<readonly z.infer<typeof message>[]> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [message.parse(await response.json())];
  const messages: z.infer<typeof message>[] = [];
  if (response.body)
    for await (const { data } of readServerSentEvents(response.body)) if (data) messages.push(message.parse(JSON.parse(data)));
  return messages;
}

const resultOf = async (response: Response) => (await messagesOf(response)).at(-1)?.result;
const errorOf = async (response: Response) => (await messagesOf(response)).at(-1)?.error;
const callOf = (order: string, rest: object = {}): Message => ({
  method: 'tools/call',
  params: { name: 'test_plain', arguments: { order }, ...rest },
});
const letGo = async (order: string) => (await eventually(() => held.get(order)))();

describe.each([
  ['the newest revision', {}],
  ['an older revision', null],
])('tools/call of %s', (_what, capabilities) => {
  test('gives the envelope as structured content and as text', async () => {
    const result = await resultOf(await send(callOf('a'), { capabilities }));
    expect(result).toMatchObject({
      isError: false,
      structuredContent: { success: true, data: { made: 'a' }, metadata: { tool_name: 'test_plain' } },
      content: [{ type: 'text' }],
    });
  });

  test('gives a refusal of the tool or of its parameters as a result with isError', async () => {
    for (const [order, code] of [
      ['sold out', 'RESOURCE_NOT_FOUND'],
      [7, 'INVALID_PARAMS'],
    ] as const)
      expect(await resultOf(await send(callOf(order as string), { capabilities }))).toMatchObject({
        isError: true,
        structuredContent: { success: false, error: { code } },
      });
  });

  test('of an unknown tool is a fault of the protocol that names the nearest', async () => {
    const response = await send({ method: 'tools/call', params: { name: 'test_plian', arguments: {} } }, { capabilities });
    expect(await errorOf(response)).toMatchObject({ code: -32602, message: expect.stringContaining("'test_plain'") });
  });

  test('takes options from _meta, where no schema of a tool has to know of them', async () => {
    const params = { _meta: { 'invoq/options': { debug: true } } };
    expect(await resultOf(await send(callOf('a', params), { capabilities }))).toMatchObject({
      structuredContent: { debug_info: { retry_count: 0 } },
    });
    const wrong = { _meta: { 'invoq/options': { debug: 'maybe' } } };
    expect(await resultOf(await send(callOf('a', wrong), { capabilities }))).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'INVALID_PARAMS' } },
    });
  });

  test('sends progress that only grows, before the result, to a client that gave a token', async () => {
    const messages = await messagesOf(await send(callOf('steps', { _meta: { progressToken: 'p1' } }), { capabilities }));
    const progress = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params?.['progress']);
    expect(progress).toEqual([0, 20, 50]);
    expect(messages.at(-1)?.result).toMatchObject({ structuredContent: { success: true } });
  });

  test('is answered from the cache like at every door', async () => {
    const cached = { method: 'tools/call', params: { name: 'test_cached', arguments: { order: capabilities ? 'kept new' : 'kept old' } } };
    await resultOf(await send(cached, { capabilities }));
    expect(await resultOf(await send(cached, { capabilities }))).toMatchObject({
      structuredContent: { metadata: { cache: { hit: true } } },
    });
  });
});

describe('a task', () => {
  const withTasks = { extensions: { [tasksExtension]: {} } };
  const taskShape = z.looseObject({ taskId: z.string(), status: z.string() });
  const task = async (method: string, taskId: string, sending: Sending = {}) =>
    send({ method, params: { taskId } }, { capabilities: withTasks, ...sending });
  const begin = async (order: string) => taskShape.parse(await resultOf(await send(callOf(order), { capabilities: withTasks })));

  test('is a call that does not end soon, with its result once it has ended', async () => {
    const { taskId, status } = await begin('held-task');
    expect(status).toBe('working');
    expect(await resultOf(await task('tasks/get', taskId))).toMatchObject({ status: 'working' });
    await letGo('held-task');
    const done = await eventually(async () => {
      const result = await resultOf(await task('tasks/get', taskId));
      return result?.['status'] === 'completed' && result;
    });
    expect(done).toMatchObject({ result: { structuredContent: { success: true, data: { made: 'held-task' } } } });
    expect((await user.get(`/jobs/${taskId}`)).as(jobShape)).toMatchObject({ state: 'completed' });
  });

  test('is no task when the call ends soon', async () => {
    expect(await resultOf(await send(callOf('quick'), { capabilities: withTasks }))).toMatchObject({
      structuredContent: { success: true },
    });
  });

  test('is cancelled by its caller, and stays so', async () => {
    const { taskId } = await begin('held-cancelled');
    await resultOf(await task('tasks/cancel', taskId));
    expect(await resultOf(await task('tasks/get', taskId))).toMatchObject({ status: 'cancelled' });
    await letGo('held-cancelled');
    expect((await user.get(`/jobs/${taskId}`)).as(jobShape)).toMatchObject({ state: 'cancelled' });
    expect(await resultOf(await task('tasks/cancel', taskId))).toBeDefined();
  });

  test('of another user, of no job and of an id of any shape is unknown', async () => {
    const { taskId } = await begin('held-foreign');
    const stranger = { headers: { authorization: `Bearer ${await gateway.tenant.key({ userId: 'user_other' })}` } };
    for (const [id, sending] of [
      [taskId, stranger],
      [`inv_profile_${'0'.repeat(32)}`, {}],
      ['nonsense', {}],
    ] as const)
      expect(await errorOf(await task('tasks/get', id, sending))).toMatchObject({
        code: -32602,
        message: expect.stringContaining('no such task'),
      });
    await letGo('held-foreign');
  });

  test('of a tool that keeps sessions apart is found in its own session alone', async () => {
    const order = 'held-session';
    const params = { name: 'test_session', arguments: { order } };
    const inSession = (session: string) => ({ headers: { 'x-session-id': session } });
    const created = await send({ method: 'tools/call', params }, { capabilities: withTasks, ...inSession('s1') });
    const { taskId } = taskShape.parse(await resultOf(created));
    expect(await errorOf(await task('tasks/get', taskId, inSession('s2')))).toMatchObject({
      message: expect.stringContaining('no such task'),
    });
    expect(await resultOf(await task('tasks/get', taskId, inSession('s1')))).toMatchObject({ status: 'working' });
    await letGo(order);
  });

  test('is not for a client that does not take tasks', async () => {
    const { taskId } = await begin('held-capability');
    expect(await errorOf(await task('tasks/get', taskId, { capabilities: {} }))).toBeDefined();
    await letGo('held-capability');
  });
});

describe('a client that no longer wants its call', () => {
  /** The job of an order that is being run: its parameters are gone once it has ended. */
  const jobOf = async (order: string): Promise<string> => {
    const { jobs } = z.object({ jobs: z.array(z.looseObject({ job_id: z.string() })) }).parse((await user.get('/jobs?limit=50')).body);
    const records = await Promise.all(jobs.map(({ job_id }) => gateway.stores.store.read(job_id)));
    const record = records.find((one) => one?.head.input['order'] === order);
    if (!record) throw new Error(`There is no job for ${order}`);
    return record.jobId;
  };
  const stateOf = async (jobId: string) => (await gateway.stores.store.read(jobId))?.state;

  test('cancels by closing its connection', async () => {
    const leaving = new AbortController();
    const gone = send(callOf('held-closing'), { signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => null);
    await eventually(() => held.has('held-closing'));
    const jobId = await jobOf('held-closing');
    leaving.abort();
    await gone;
    await eventually(async () => (await stateOf(jobId)) === 'cancelled');
  });

  test('cancels by a notification of the older revisions, under its own name alone', async () => {
    const initialized = await send(
      { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } } },
      { capabilities: null },
    );
    const session = initialized.headers.get('mcp-session-id') ?? '';
    await initialized.text();
    const named = { capabilities: null, headers: { 'mcp-session-id': session } };
    const calling = send(callOf('held-notified'), { ...named, id: 77 }).then(messagesOf);
    await eventually(() => held.has('held-notified'));
    const cancel = (headers: Record<string, string>) =>
      send({ method: 'notifications/cancelled', params: { requestId: 77 } }, { capabilities: null, headers }).then((response) =>
        response.text(),
      );
    await cancel({ 'mcp-session-id': 'another-name' });
    await cancel({ 'mcp-session-id': session, authorization: `Bearer ${await gateway.tenant.key({ userId: 'user_other' })}` });
    expect(await stateOf(await jobOf('held-notified'))).toBe('active');
    await cancel({ 'mcp-session-id': session });
    expect((await calling).at(-1)?.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'CANCELLED' } } });
  });
});

test('tools/list has what a model may be offered, sorted by name', async () => {
  const { tools } = z
    .looseObject({ tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })) })
    .parse(await resultOf(await send({ method: 'tools/list', params: {} })));
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names).toContain('test_plain');
  expect(names).not.toContain('chat_turn');
});

describe.each([
  ['the newest revision', {}],
  ['an older revision', null],
])('an address with a query, in %s', (_what, capabilities) => {
  const list = z.object({ tools: z.array(z.looseObject({ name: z.string(), outputSchema: z.looseObject({}).optional() })) });
  const listed = async (query: string) =>
    list.parse(await resultOf(await send({ method: 'tools/list', params: {} }, { capabilities, query }))).tools;
  const named = async (query: string) => (await listed(query)).map(({ name }) => name);

  test('lists the tools that it asks for alone', async () => {
    const all = await named('');
    expect(all).toContain('test_plain');
    expect(await named('?tools=test_plain')).toEqual(['test_plain']);
    expect(await named('?tools=test_plain,no_such_tool')).toEqual(['test_plain']);
    expect(await named('?tools=Test_*')).toEqual(all.filter((name) => name.startsWith('test_')));
    expect(await named('?domain=profile,knowledge,memotree,perception,agent,stripe')).toEqual(all);
    expect(await named('?domain=memotree')).not.toContain('test_plain');
    expect(await named('?read_only=false')).toEqual(all);
    const reading = await named('?read_only=true');
    expect(all.length).toBeGreaterThan(reading.length);
  });

  test('refuses a call of any other, and a query that it does not understand', async () => {
    const call = await errorOf(await send(callOf('a'), { capabilities, query: '?domain=memotree' }));
    expect(call).toMatchObject({ code: -32_602, message: expect.stringContaining("'test_plain' is not among those") });
    for (const query of ['?domain=nonsense', '?read_only=yes', '?result=short', '?tools='])
      expect((await send({ method: 'tools/list', params: {} }, { capabilities, query })).status).toBe(400);
  });

  test('with result=data answers with the data that the tool promises, as text too, and the ids of the call in _meta', async () => {
    const [tool] = await listed('?tools=test_plain&result=data');
    expect(tool?.outputSchema).toMatchObject({ type: 'object', properties: { made: { type: 'string' } } });
    expect(await resultOf(await send(callOf('a'), { capabilities, query: '?result=data' }))).toMatchObject({
      isError: false,
      structuredContent: { made: 'a' },
      content: [{ type: 'text', text: '{"made":"a"}' }],
      _meta: { 'invoq/call': { trace_id: expect.stringMatching(/^trace_/), job_id: expect.stringMatching(/^inv_/) } },
    });
  });

  test('with result=data says of an error in words what a model needs', async () => {
    const refused = await resultOf(await send(callOf('sold out'), { capabilities, query: '?result=data' }));
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^RESOURCE_NOT_FOUND: None left\. \S/) }] });
    expect(refused).not.toHaveProperty('structuredContent');
  });
});
