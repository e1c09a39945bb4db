// What commands over stdio ask of the client behind a call: its roots, its model with tools of theirs, and an address. One of them is the server
// with which the project of the protocol shows all of it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { resting } from '../asked.js';
import { inProcess } from '../in-process.js';
import { startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(90_000);

const withTools = z.looseObject({ messages: z.array(z.looseObject({ content: z.unknown() })), tools: z.array(z.looseObject({})) });

describe('commands that ask', () => {
  let outside: OutsideSystem;
  let asking: string;
  let everything: string;
  const clients: Client[] = [];

  beforeAll(async () => {
    outside = await startOutsideSystem({ inProcess });
    [asking, everything] = [outside.newName(), outside.newName()];
    const may_ask = ['sampling', 'roots'];
    await Promise.all([
      outside.register({ name: asking, stdio: 'asking', may_ask }),
      outside.register({ name: everything, stdio: 'everything', may_ask }),
    ]);
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await outside?.[Symbol.asyncDispose]();
  });

  interface Connecting {
    readonly mode: 'auto' | 'legacy';
    readonly userId: string;
    readonly roots?: readonly string[];
    /** Whether its model can be given tools; absent for a client without a model. */
    readonly tools?: boolean;
  }

  /** A client whose model uses each tool that it is given once, and then says what came of it. */
  async function connect({ mode, userId, roots, tools }: Connecting): Promise<Client> {
    const sampling = tools === undefined ? {} : { sampling: tools ? { tools: {} } : {} };
    const capabilities = { ...sampling, ...(roots && { roots: {} }) };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    if (tools !== undefined)
      client.setRequestHandler('sampling/createMessage', ({ params }) => {
        const { messages } = withTools.parse(params);
        const said = { role: 'assistant' as const, model: 'm' };
        if (messages.length > 1) return { ...said, content: { type: 'text', text: `heard ${JSON.stringify(messages.at(-1)?.content)}` } };
        return { ...said, stopReason: 'toolUse', content: [{ type: 'tool_use', id: 'one', name: 'double', input: { number: 21 } }] };
      });
    if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
    const authorization = `Bearer ${await outside.system.tenant.key({ userId })}`;
    const url = new URL('/mcp?result=data', outside.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
    clients.push(client);
    return client;
  }

  const call = async (client: Client, name: string) => JSON.stringify(await client.callTool({ name, arguments: {} }));
  const caller = async (userId: string) =>
    new HttpCaller(outside.system.gateway.url, await outside.system.tenant.key({ userId, scopes: ['tools:read', 'tools:write'] }));
  const ended = async (by: HttpCaller, jobId: string) =>
    eventually(
      async () => {
        const { text } = await by.get(`/jobs/${jobId}`);
        return text.includes('"completed"') && text;
      },
      { withinMs: 40_000 },
    );

  describe.each(['auto', 'legacy'] as const)('at a client in mode %s', (mode) => {
    test('each has the roots of its own user', async () => {
      for (const tool of [`${asking}__where`, `${everything}__get-roots-list`]) {
        const homes = ['ann', 'bob'].map((user) => ({ userId: `${user}_${mode}`, uri: `file:///home/${user}/${mode}` }));
        const given = await Promise.all(homes.map(async ({ userId, uri }) => call(await connect({ mode, userId, roots: [uri] }), tool)));
        expect(given.map((text) => homes.map(({ uri }) => text.includes(uri)))).toEqual([
          [true, false],
          [false, true],
        ]);
        const without = await call(await connect({ mode, userId: `cem_${mode}` }), tool);
        expect(without).not.toContain('file:///');
      }
    });

    test('its model uses a tool of the command, which runs it', async () => {
      const client = await connect({ mode, userId: `dan_${mode}`, tools: true });
      const said = await call(client, `${asking}__reckon`);
      expect([said.includes('heard'), said.includes('42')]).toEqual([true, true]);
    });

    test('a model without tools is not asked, and the command hears so in words', async () => {
      const client = await connect({ mode, userId: `eve_${mode}`, tools: false });
      expect(await call(client, `${asking}__reckon`)).toContain('ask its model without tools');
    });
  });

  test('a command that says its user is done at an address wakes the call', async () => {
    const gil = await caller('gil');
    const { job_id } = (await gil.post(`/tools/${asking}__order`, {})).as(resting);
    const since = performance.now();
    writeFileSync(join(outside.folder, 'paid'), '');
    try {
      expect(await ended(gil, job_id)).toContain('ordered');
      expect(performance.now() - since).toBeLessThan(10_000);
    } finally {
      rmSync(join(outside.folder, 'paid'));
    }
  });
});
