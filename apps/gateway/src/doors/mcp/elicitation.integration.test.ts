// Questions of tools and approvals, as the official client meets them in both eras: it shows a form while the call is open.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { inputRequestPage } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { handle, type ServedWorker, type Tool } from '#lib/serve';
import { contractOf } from '../../serving/test-contract.js';
import { startOwnWorker } from '../../serving/test-own-worker.js';
import { TestHttpGateway } from '../../test-http-gateway.js';

let gateway: TestHttpGateway;
let servesKey: string;
const workers: ServedWorker[] = [];
const clients: Client[] = [];
let asked: { readonly message: string; readonly requestedSchema?: unknown }[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  servesKey = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
beforeEach(() => {
  asked = [];
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

type Mode = 'auto' | 'legacy';

/** @param answers what the person says to each form; a client without them shows none */
async function connect(mode: Mode, answers?: readonly ElicitResult[], authorization = gateway.user): Promise<Client> {
  const capabilities = answers ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities });
  const left = [...(answers ?? [])];
  if (answers)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params);
      return left.shift() ?? { action: 'cancel' };
    });
  const url = new URL(`http://127.0.0.1:${gateway.port}/mcp?result=data`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
  clients.push(client);
  return client;
}

async function start(tool: Tool): Promise<void> {
  workers.push(await startOwnWorker(gateway, { key: servesKey, tool }));
}

/** What a client says with each request of the newest revision. */
const meta = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

let used = 0;
const asking = (name: string) =>
  handle(contractOf(name), async ({ text }, { ask }) => {
    const said = await ask('size', {
      message: `Which size, ${text}?`,
      schema: z.object({ size: z.enum(['s', 'm']), count: z.int().min(1).max(9) }),
    });
    return { said: said.action === 'accept' ? `${said.content.count} of ${said.content.size}` : said.action };
  });

describe.each([['auto'], ['legacy']] as const)('in mode %s', (mode) => {
  const call = async (client: Client, name: string) => client.callTool({ name, arguments: { text: 'Ann' } });

  test('a form is shown, and the call goes on with what it says', async () => {
    const name = `form_tool_${++used}`;
    await start(asking(name));
    const client = await connect(mode, [{ action: 'accept', content: { size: 'm', count: 3 } }]);
    expect(await call(client, name)).toMatchObject({ structuredContent: { said: '3 of m' } });
    expect(asked).toMatchObject([
      {
        message: 'Which size, Ann?',
        requestedSchema: { type: 'object', properties: { size: { type: 'string', enum: ['s', 'm'] } }, required: ['size', 'count'] },
      },
    ]);
  });

  test('content that does not fit is asked for again, and says why; a no is an answer', async () => {
    const name = `form_tool_${++used}`;
    await start(asking(name));
    const client = await connect(mode, [{ action: 'accept', content: { size: 'm', count: 99 } }, { action: 'decline' }]);
    expect(await call(client, name)).toMatchObject({ structuredContent: { said: 'decline' } });
    expect(asked.map(({ message }) => message)).toEqual(['Which size, Ann?', expect.stringContaining("'content.count'")]);
  });

  test('several questions are asked one after the other', async () => {
    const name = `form_tool_${++used}`;
    const tool = handle(contractOf(name), async (_input, { ask }) => {
      const first = await ask('first', { message: 'First?' });
      const second = await ask('second', { message: 'Second?' });
      return { said: `${first.action} ${second.action}` };
    });
    await start(tool);
    const client = await connect(mode, [{ action: 'accept', content: {} }, { action: 'decline' }]);
    expect(await call(client, name)).toMatchObject({ structuredContent: { said: 'accept decline' } });
  });

  test('a client that shows no forms is told that the call rests, and for what', async () => {
    const name = `form_tool_${++used}`;
    await start(asking(name));
    const { isError, content } = await call(await connect(mode), name);
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('rests (question)')]);
    const { body } = await gateway.send('/input-requests?state=open', { authorization: gateway.user });
    expect(inputRequestPage.parse(JSON.parse(body)).input_requests.map(({ tool_name }) => tool_name)).toContain(name);
  });

  test('nobody is asked to approve a call of their own, unless its rule says so', async () => {
    const [own, others] = [`form_tool_${++used}`, `form_tool_${++used}`];
    const scopes = ['tools:read', 'tools:write', 'approvals'];
    const key = `Bearer ${await gateway.tenant.key({ userId: 'approver', scopes })}`;
    const run = async () => ({ said: 'ran' });
    await start(handle({ ...contractOf(own), approval: { message: 'Sure?', self: true } }, run));
    await start(handle({ ...contractOf(others), approval: true }, run));
    const client = await connect(mode, [{ action: 'accept', content: {} }], key);
    expect(await call(client, own)).toMatchObject({ structuredContent: { said: 'ran' } });
    expect(asked.map(({ message }) => message)).toEqual(['Sure?']);
    expect(await call(client, others)).toMatchObject({ isError: true });
    expect(asked).toHaveLength(1);
  });
});

test('a task says what it is asked, and takes the answer', async () => {
  const name = `form_tool_${++used}`;
  await start(asking(name));
  const tasks = { 'io.modelcontextprotocol/tasks': {} };
  const send = async (method: string, params: { readonly name?: string; readonly taskId?: string; readonly [other: string]: unknown }) => {
    const { body } = await gateway.send('/mcp?result=data', {
      method: 'POST',
      authorization: gateway.user,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': params.taskId ?? params.name ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta({ elicitation: {}, extensions: tasks }) } }),
    });
    return z.looseObject({ result: z.looseObject({}).optional(), error: z.unknown().optional() }).parse(JSON.parse(body));
  };
  const begun = await send('tools/call', { name, arguments: { text: 'Ann' } });
  const taskId = String(begun.result?.['taskId']);
  const asks = await eventually(async () => {
    const { result } = await send('tasks/get', { taskId });
    return result?.['status'] === 'input_required' && result;
  });
  expect(asks).toMatchObject({ inputRequests: { answer: { method: 'elicitation/create', params: { message: 'Which size, Ann?' } } } });
  const wrong = await send('tasks/update', { taskId, inputResponses: { answer: { action: 'accept', content: { size: 'xl', count: 1 } } } });
  expect(JSON.stringify(wrong.error)).toContain('content.size');
  await send('tasks/update', { taskId, inputResponses: { answer: { action: 'accept', content: { size: 's', count: 1 } } } });
  const done = await eventually(async () => {
    const { result } = await send('tasks/get', { taskId });
    return result?.['status'] === 'completed' && result;
  });
  expect(done).toMatchObject({ result: { structuredContent: { said: '1 of s' } } });
});

test('a state that somebody has made up, or that is of another, begins no call and answers nothing', async () => {
  const name = `form_tool_${++used}`;
  await start(asking(name));
  await (await connect('auto')).callTool({ name, arguments: { text: 'Ann' } });
  const listed = await gateway.send('/input-requests?state=open&limit=1', { authorization: gateway.user });
  const [open] = inputRequestPage.parse(JSON.parse(listed.body)).input_requests;
  const stranger = await gateway.tenant.key({ userId: 'stranger', scopes: ['tools:read', 'tools:write', 'approvals'] });
  const send = async (requestState: string, authorization: string) =>
    gateway.send('/mcp', {
      method: 'POST',
      authorization,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: { text: 'Eve' },
          requestState,
          inputResponses: { answer: { action: 'accept', content: { size: 'm', count: 1 } } },
          _meta: meta({ elicitation: {} }),
        },
      }),
    });
  const jobsOf = async (authorization: string) =>
    (await gateway.send('/jobs?limit=100', { authorization })).body.match(/"job_id":"[^"]+"/g);
  const jobs = async () => [await jobsOf(gateway.user), await jobsOf(`Bearer ${stranger}`)];
  const before = await jobs();
  for (const [state, authorization] of [
    [open?.id ?? '', `Bearer ${stranger}`],
    ['x'.repeat(5_000), gateway.user],
    ['00000000-0000-4000-8000-000000000000', gateway.user],
  ] as const)
    expect((await send(state, authorization)).body).toContain('of no call that waits');
  expect(before[0]).not.toBeNull();
  expect(await jobs()).toEqual(before);
  const again = await gateway.send(`/input-requests/${open?.id}`, { authorization: gateway.user });
  expect(JSON.parse(again.body)).toMatchObject({ state: 'open' });
});
