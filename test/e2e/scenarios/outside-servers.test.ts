// Tools of outside servers: real ones of the protocol's own project, and one of the REST shape.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { envelopeShape, eventually, startTimeoutMs } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startEverything } from '../everything.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(60_000);

const listing = z.looseObject({ tools: z.array(z.looseObject({ name: z.string(), parameters: z.looseObject({}) })) });

describe('outside servers', () => {
  let outside: OutsideSystem;

  beforeAll(async () => {
    outside = await startOutsideSystem({ inProcess });
  }, startTimeoutMs);
  afterAll(async () => outside?.[Symbol.asyncDispose]());

  describe('of the project itself', () => {
    let everything: Awaited<ReturnType<typeof startEverything>>;
    let url: string;

    beforeAll(async () => {
      everything = await startEverything();
      url = everything.url;
    }, startTimeoutMs);
    afterAll(async () => everything[Symbol.asyncDispose]());

    verifies(
      ['TU-90', 'TU-94', 'TU-100'],
      'joins server-everything at run time: its tools are on every door of every gateway, and gone again',
      async () => {
        const name = outside.newName();
        const registered = await outside.register({ name, url });
        expect(registered).toMatchObject({ kind: 'mcp', approval: 1 });
        const echo = `${name}__echo`;
        expect(registered.tools.map((one) => one.offered_as)).toContain(echo);
        for (const [index] of outside.system.gateways.entries()) {
          const base = outside.system.gateways[index]?.url ?? '';
          await eventually(async () => (await fetch(`${base}/tools/${echo}`, { headers: await bearer() })).status === 200, {
            what: `gateway ${index} to know it`,
          });
        }
        expect((await outside.user.get('/tools?format=openai')).text).toContain(`"${echo}"`);
        expect((await outside.user.get('/openapi.json')).text).toContain(`/tools/${echo}`);

        expect(await typesOf(outside)).toMatch(new RegExp(`  ${echo}: \\{\\n    input: \\{[^}]*message: string;`));

        const called = await outside.user.call(echo, { message: 'good day' });
        expect(JSON.stringify(expectSuccess(called.envelope))).toContain('Echo: good day');
        expect(called.envelope.metadata).toMatchObject({
          tool_name: echo,
          tool_version: '1.0.0',
          attempts: 1,
          job_id: expect.stringMatching(/^inv_perception_/),
        });
        const refused = await outside.user.call(echo, { message: 7 });
        expectRefusal(refused, { status: 400, code: 'INVALID_PARAMS', paths: ['message'] });

        expect((await outside.admin.delete(`/mcp/servers/${name}`)).status).toBe(200);
        expectRefusal(await outside.user.call(echo, { message: 'again' }), { status: 404, code: 'TOOL_NOT_FOUND' });
      },
    );

    test('passes its progress on, as events and to MCP clients', async () => {
      const name = outside.newName();
      const { tools } = await outside.register({ name, url });
      const long = tools.find((one) => one.name.includes('long-running'))?.offered_as ?? '';
      await using stream = await outside.user.stream(`/tools/${long}/sse`, { method: 'POST', json: { duration: 1, steps: 4 } });
      const events = await stream.rest();
      const progress = events
        .filter(({ event }) => event === 'tool_progress')
        .map(({ data }) => z.looseObject({ progress: z.number() }).parse(data).progress);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect(progress.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThanOrEqual(2);
      expect(events.at(-1)?.event).toBe('tool_result');

      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL('/mcp', outside.system.gateway.url), { requestInit: { headers: await bearer() } }),
      );
      const seen: number[] = [];
      const result = await client.callTool(
        { name: long, arguments: { duration: 1, steps: 4 } },
        { onprogress: (one) => void seen.push(one.progress) },
      );
      expect(result.isError).toBeFalsy();
      expect(seen.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThanOrEqual(2);
      await client.close();
    });

    test('shows pictures as pictures to MCP clients, and never as text', async () => {
      const name = outside.newName();
      const { tools } = await outside.register({ name, url });
      const image = tools.find((one) => /image/.test(one.name))?.offered_as ?? '';
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL('/mcp', outside.system.gateway.url), { requestInit: { headers: await bearer() } }),
      );
      const result = await client.callTool({ name: image, arguments: {} });
      const picture = result.content.find((block) => block.type === 'image');
      expect(picture).toMatchObject({ type: 'image', mimeType: 'image/png' });
      expect(JSON.stringify(result.structuredContent)).not.toContain(picture?.type === 'image' ? picture.data : 'none');
      await client.close();
    });

    test('starts server-filesystem itself, by a command that the operator has named, and no other', async () => {
      const name = outside.newName();
      const { tools } = await outside.register({ name, stdio: 'filesystem' });
      expect(tools.length).toBeGreaterThan(5);
      const read = await outside.user.call(`${name}__read_text_file`, { path: join(outside.folder, 'note.txt') });
      expect(JSON.stringify(expectSuccess(read.envelope))).toContain('written by a test');
      const elsewhere = await outside.user.call(`${name}__read_text_file`, { path: '/etc/passwd' });
      const { error } = expectRefusal(elsewhere, { status: 500, code: 'EXECUTION_ERROR', native: 'UPSTREAM_REFUSED' });
      expect(error.message).toMatch(/denied/i);
      expectRefusal(await outside.admin.post('/mcp/servers', { name: outside.newName(), stdio: 'sh', tenants: '*' }), {
        status: 403,
        code: 'PERMISSION_DENIED',
        native: 'SERVER_NOT_ALLOWED',
      });
    });
  });

  verifies(['TU-94'], 'takes a server of the REST shape, which has no protocol to agree on', async () => {
    await using there = await outside.withServer([tool('shout')], 'rest');
    there.server.answer = (_name, { word }) => ({ content: [], structuredContent: { shouted: String(word).toUpperCase() } });
    const registered = await outside.register({ name: there.name, url: there.server.url });
    expect(registered).toMatchObject({ kind: 'rest', tools: [{ name: 'shout', offered_as: `${there.name}__shout`, state: 'served' }] });
    expect(expectSuccess((await outside.user.call(`${there.name}__shout`, { word: 'hello' })).envelope)).toEqual({ shouted: 'HELLO' });
    there.server.answer = () => ({ content: [{ type: 'text', text: 'no such word' }], isError: true });
    expect(
      expectRefusal(await outside.user.call(`${there.name}__shout`, { word: 'x' }), {
        status: 500,
        code: 'EXECUTION_ERROR',
        native: 'UPSTREAM_REFUSED',
      }).error.message,
    ).toContain('no such word');
  });

  test('sends the headers that it was given, to that server alone, and shows them to nobody', async () => {
    await using there = await outside.withServer([tool('echo', { annotations: { readOnlyHint: true } })]);
    await outside.register({
      name: there.name,
      url: `${there.server.url}/mcp`,
      headers: { authorization: 'Bearer canary-upstream-secret' },
    });
    expectSuccess((await outside.user.call(`${there.name}__echo`, { word: 'a' })).envelope);
    expect(there.server.calls[0]?.headers['authorization']).toBe('Bearer canary-upstream-secret');
    expect((await outside.admin.get(`/mcp/servers/${there.name}`)).text).not.toContain('canary');
    expect(JSON.stringify(outside.system.logs())).not.toContain('canary-upstream-secret');
    expect(await outside.system.redis.everything()).not.toContain('canary-upstream-secret');
  });

  test('gives its tools our cache, retries and traces', async () => {
    await using there = await outside.withServer([tool('look', { annotations: { readOnlyHint: true } }), tool('change')]);
    await outside.register({ name: there.name, url: `${there.server.url}/mcp`, cache_ttl: 60 });
    const look = `${there.name}__look`;
    const first = await outside.user.call(look, { word: 'a' });
    const again = await outside.user.call(look, { word: 'a' });
    expect([first.envelope.metadata.cache?.hit, again.envelope.metadata.cache?.hit]).toEqual([false, true]);
    const w3c = /-([0-9a-f]{32})-/.exec(first.headers.get('traceparent') ?? '')?.[1];
    expect(w3c).toBeDefined();

    let failures = 1;
    there.server.before = (request, response) => {
      if (request.method !== 'POST' || failures-- <= 0) return false;
      response.socket?.resetAndDestroy();
      return true;
    };
    const retried = await outside.user.call(look, { word: 'b' });
    expectSuccess(retried.envelope);
    expect(retried.envelope.metadata.attempts).toBe(2);
    // What changes something is not called twice.
    there.server.before = (request, response) => {
      if (request.headers['mcp-method'] !== 'tools/call') return false;
      response.socket?.resetAndDestroy();
      return true;
    };
    expectRefusal(await outside.user.call(`${there.name}__change`, { word: 'c' }), { status: 503, code: 'NETWORK_ERROR' });
  });

  test.each(['mcp', 'rest'] as const)('gets one traceparent, that of the call, where it speaks %s', async (shape) => {
    await using there = await outside.withServer([tool('look')], shape);
    await outside.register({ name: there.name, url: shape === 'mcp' ? `${there.server.url}/mcp` : there.server.url });
    const called = await outside.user.call(`${there.name}__look`, { word: 'a' });
    expectSuccess(called.envelope);
    const w3c = /-([0-9a-f]{32})-/.exec(called.headers.get('traceparent') ?? '')?.[1];
    expect(there.server.calls[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${w3c}-[0-9a-f]{16}-01$`));
  });

  verifies(['TU-89', 'TU-90'], 'tells MCP clients at every gateway that the tools have changed', async () => {
    const heard = await Promise.all(
      outside.system.gateways.flatMap((gateway) =>
        (['auto', 'legacy'] as const).map(async (mode) => {
          let count = 0;
          const client = new Client(
            { name: 'test', version: '1.0.0' },
            { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void count++ } } },
          );
          await client.connect(
            new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), { requestInit: { headers: await bearer() } }),
          );
          return { client, count: () => count };
        }),
      ),
    );
    await using there = await outside.withServer([tool('news')]);
    await outside.register({ name: there.name, url: `${there.server.url}/mcp` });
    for (const { count } of heard) await eventually(() => count() > 0, { what: 'a client to hear of it' });
    await Promise.all(heard.map(({ client }) => client.close()));
  });

  test.each([
    ['a name that is none', { name: 'Not A Name', url: 'https://example.com' }, ['name']],
    ['a name with the separator', { name: 'a__b', url: 'https://example.com' }, ['name']],
    ['an address that is none', { name: 'abc', url: 'ftp://example.com' }, ['url']],
    ['neither an address nor a command', { name: 'abc' }, undefined],
    ['a field that there is not', { name: 'abc', url: 'https://example.com', shell: 'rm' }, ['shell']],
    ['a header that is none', { name: 'abc', url: 'https://example.com', headers: { 'x y': '1' } }, undefined],
  ])('are not registered with %s', async (_what, body, paths) => {
    const reply = await outside.admin.post('/mcp/servers', body);
    expect([reply.status, reply.as(envelopeShape).error?.code]).toEqual([400, 'INVALID_PARAMS']);
    if (paths) expect(reply.as(envelopeShape).error?.details?.map(({ path }) => path)).toEqual(paths);
  });

  test.each([
    ['nobody listens there', 'http://127.0.0.1:1/mcp', /127\.0\.0\.1:\d+\/mcp (refuses connections|could not be asked)/],
    ['there is no such host', 'http://no-such-host.invalid/mcp', /no-such-host\.invalid\/mcp cannot be found: there is no such host/],
  ])('are not registered when %s, and the administrator is told what to look at', async (_what, url, message) => {
    const refused = expectRefusal(await outside.admin.post('/mcp/servers', { name: outside.newName(), url }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'SERVER_UNUSABLE',
    });
    expect(refused.error.message).toMatch(message);
  });

  test('are not registered when the path is wrong or a credential is wanted', async () => {
    await using there = await outside.withServer([tool('echo')]);
    for (const [status, message] of [
      [404, /answered with 404: is the path right/],
      [401, /answered with 401: it may want a credential in 'headers'/],
      [500, /answered with 500/],
    ] as const) {
      there.server.before = (_request, response) => {
        response.writeHead(status).end();
        return true;
      };
      const reply = await outside.admin.post('/mcp/servers', { name: there.name, tenants: '*', url: `${there.server.url}/wrong` });
      expect([reply.status, reply.as(envelopeShape).error?.message]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  test('are for administrators alone', async () => {
    for (const reply of [
      await outside.user.post('/mcp/servers', {}),
      await outside.user.get('/mcp/servers'),
      await outside.user.delete('/mcp/servers/x'),
    ])
      expectRefusal(reply, { status: 403, code: 'PERMISSION_DENIED' });
    expectRefusal(await outside.user.call('register_mcp_server', { name: 'abc', url: 'https://example.com' }), {
      status: 403,
      code: 'PERMISSION_DENIED',
    });
    expect((await outside.user.get('/tools')).as(listing).tools.map(({ name }) => name)).not.toContain('register_mcp_server');
    expectRefusal(await outside.admin.get('/mcp/servers/none'), { status: 404, code: 'RESOURCE_NOT_FOUND' });
  });

  const bearer = async () => ({ authorization: `Bearer ${await outside.system.tenant.key()}` });
});

/** What `invoq types` writes. */
async function typesOf({ system }: OutsideSystem): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    INVOQ_DATA_DIR: '/nowhere/at/all',
    INVOQ_URL: system.gateway.url,
    INVOQ_API_KEY: await system.tenant.key(),
  };
  return (await promisify(execFile)(process.execPath, ['dist/apps/cli/src/main.js', 'types'], { env, maxBuffer: 8_000_000 })).stdout;
}
