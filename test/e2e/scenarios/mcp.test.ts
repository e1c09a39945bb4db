// The MCP door as clients of both eras meet it: the official client, and plain HTTP where a client would not do such a thing.
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelopeShape, eventually, startTimeoutMs } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { meta, sendMessage } from '../mcp-messages.js';
import { rawRequest } from '../raw-request.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('the MCP door', () => {
  let lab: LabSystem;
  let key: string;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2 });
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

    test('goes on in the trace that the message names, and adds what the options ask for', async () => {
      await using connection = await connect(mode);
      const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
      const _meta = { traceparent: `00-${trace}-${span}-01`, 'invoq/options': { metacognition: true, debug: true, enable_cache: false } };
      const result = await connection.client.callTool({ name: 'calc_metrics', arguments: { ...metrics, age: 33 }, _meta });
      const { metadata, debug_info: debug } = envelopeShape.parse(result.structuredContent);
      expect(metadata.trace_id).toMatch(new RegExp(`^trace_\\d{8}_${trace.slice(0, 12)}$`));
      expect(metadata.metacognition).toMatchObject({ checked: true });
      expect(debug).toMatchObject({ cache_hit: false });
      const told = await eventually(
        async () => {
          const { text } = await (await lab.system.caller()).get(`/traces/${metadata.trace_id}`);
          return text.includes('attempt calc_metrics') && text;
        },
        { what: 'the trace' },
      );
      expect(told).toContain(trace);
      const plain = await connection.client.callTool({ name: 'calc_metrics', arguments: { ...metrics, age: 33 } });
      expect(envelopeShape.parse(plain.structuredContent)).toMatchObject({
        debug_info: undefined,
        metadata: { trace_id: expect.not.stringContaining(trace.slice(0, 12)) },
      });
      const wrong = await connection.client.callTool({
        name: 'calc_metrics',
        arguments: metrics,
        _meta: { 'invoq/options': { debug: 'loud' } },
      });
      expect(envelopeShape.parse(wrong.structuredContent).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'debug' }] });
    });

    test('reads the skills as resources', async () => {
      await using connection = await connect(mode);
      const { resources } = await connection.client.listResources();
      const skill = resources.find(({ uri }) => uri === 'skill://bazi/SKILL.md');
      expect(skill).toMatchObject({ mimeType: 'text/markdown', description: expect.stringMatching(/\S/) });
      const { contents } = await connection.client.readResource({ uri: 'skill://bazi/SKILL.md' });
      expect(contents).toEqual([
        expect.objectContaining({ uri: 'skill://bazi/SKILL.md', text: readFileSync('skills/bazi/SKILL.md', 'utf8') }),
      ]);
      const part = await connection.client.readResource({ uri: 'skill://bazi/PATTERNS.md' });
      expect(part.contents[0]).toMatchObject({ text: readFileSync('skills/bazi/PATTERNS.md', 'utf8') });
      for (const uri of [
        'skill://bazi/../../package.json',
        'skill://bazi/%2e%2e/%2e%2e/package.json',
        'skill://none/SKILL.md',
        'file:///etc/passwd',
      ])
        await expect(connection.client.readResource({ uri })).rejects.toThrow();
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

  const raw = async (body: object, { gateway = 0, headers = {} }: { gateway?: number; headers?: Record<string, string> } = {}) =>
    sendMessage(lab.system.gateways[gateway]?.url, body, { authorization: `Bearer ${key}`, ...headers });

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
