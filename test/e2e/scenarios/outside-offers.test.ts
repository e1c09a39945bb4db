// Resources, prompts and completion of outside servers, at /mcp by the official client. One of the servers is real.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, startTimeoutMs, Tenant } from '#lib/testing';
import { startEverything } from '../everything.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(60_000);

const incomplete = z.object({ 'invoq/incomplete': z.array(z.object({ server: z.string(), reason: z.string() })).default([]) });
const blocks = z.looseObject({
  content: z.array(z.looseObject({ uri: z.string().optional(), resource: z.looseObject({ uri: z.string() }).optional() })),
});
const faultsIn = (meta: unknown) => incomplete.parse(meta ?? {})['invoq/incomplete'];

describe('what outside servers have besides tools', () => {
  let outside: OutsideSystem;
  let everything: Awaited<ReturnType<typeof startEverything>>;
  let name: string;
  const clients: Client[] = [];

  beforeAll(async () => {
    [outside, everything] = await Promise.all([startOutsideSystem({ gatewayEnv: { TOOL_QUOTA_FREE: '3' }, inProcess }), startEverything()]);
    name = outside.newName();
    await outside.register({ name, url: everything.url });
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await Promise.all([outside?.[Symbol.asyncDispose](), everything?.[Symbol.asyncDispose]()]);
  });

  interface Connecting {
    readonly mode?: 'auto' | 'legacy';
    readonly query?: string;
    readonly key?: string;
    readonly onChange?: (list: 'resources' | 'prompts') => void;
    readonly gateway?: number;
  }

  async function connect({ mode = 'auto', query = '', key, onChange, gateway = 0 }: Connecting = {}): Promise<Client> {
    const heard = (list: 'resources' | 'prompts') => ({ autoRefresh: false, debounceMs: 0, onChanged: () => onChange?.(list) });
    const listChanged = onChange ? { resources: heard('resources'), prompts: heard('prompts') } : undefined;
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...(listChanged && { listChanged }) });
    const authorization = `Bearer ${key ?? (await outside.system.tenant.key())}`;
    const url = new URL(`/mcp${query}`, outside.system.gateways[gateway]?.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
    clients.push(client);
    return client;
  }

  const urisOf = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri);
  const promptsOf = async (client: Client) => (await client.listPrompts()).prompts.map((prompt) => prompt.name);

  describe.each(['auto', 'legacy'] as const)('of server-everything, in mode %s', (mode) => {
    test('is listed under names of its server, beside our own, and read', async () => {
      const client = await connect({ mode });
      const { resources, _meta } = await client.listResources();
      expect(faultsIn(_meta)).toEqual([]);
      const document = `outside://${name}/demo://resource/static/document/features.md`;
      expect(resources).toContainEqual(expect.objectContaining({ uri: document, name: 'features.md', mimeType: 'text/markdown' }));
      expect(resources.map(({ uri }) => uri)).toContain('skill://core/SKILL.md');
      expect((await client.readResource({ uri: document })).contents).toMatchObject([
        { uri: document, mimeType: 'text/markdown', text: expect.stringContaining('Everything Server') },
      ]);
      expect((await client.readResource({ uri: 'skill://core/SKILL.md' })).contents).toHaveLength(1);

      const { resourceTemplates } = await client.listResourceTemplates();
      const template = `outside://${name}/demo://resource/dynamic/blob/{resourceId}`;
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(expect.arrayContaining([template, 'skill://{+path}']));
      const uri = template.replace('{resourceId}', '3');
      const [blob] = (await client.readResource({ uri })).contents;
      expect(blob).toMatchObject({ uri, blob: expect.any(String) });
      expect(Buffer.from(blob && 'blob' in blob ? blob.blob : '', 'base64').toString()).toContain('Resource 3');
    });

    test('prompts come with their arguments, and what they embed can be read', async () => {
      const client = await connect({ mode });
      const { prompts } = await client.listPrompts();
      expect(prompts).toContainEqual(
        expect.objectContaining({
          name: `${name}__args-prompt`,
          arguments: [
            { name: 'city', description: 'Name of the city', required: true },
            expect.objectContaining({ name: 'state', required: false }),
          ],
        }),
      );
      const said = await client.getPrompt({ name: `${name}__args-prompt`, arguments: { city: 'Ulm' } });
      expect(said.messages).toMatchObject([{ role: 'user', content: { type: 'text', text: expect.stringContaining('Ulm') } }]);
      const { messages } = await client.getPrompt({
        name: `${name}__resource-prompt`,
        arguments: { resourceType: 'Text', resourceId: '1' },
      });
      const uri = `outside://${name}/demo://resource/dynamic/text/1`;
      expect(messages).toContainEqual({ role: 'user', content: expect.objectContaining({ resource: expect.objectContaining({ uri }) }) });
      expect((await client.readResource({ uri })).contents).toHaveLength(1);
      await expect(client.getPrompt({ name: `${name}__args-prompt`, arguments: {} })).rejects.toThrow(`${name} says`);
    });

    test('what results of tools link to and embed can be read', async () => {
      const client = await connect({ mode, query: '?result=data' });
      const links = await client.callTool({ name: `${name}__get-resource-links`, arguments: { count: 2 } });
      const embedded = await client.callTool({
        name: `${name}__get-resource-reference`,
        arguments: { resourceType: 'Text', resourceId: 1 },
      });
      const uris = [links, embedded].flatMap(({ structuredContent }) =>
        blocks.parse(structuredContent).content.flatMap(({ uri, resource }) => uri ?? resource?.uri ?? []),
      );
      expect(uris).toHaveLength(3);
      for (const uri of uris) {
        expect(uri).toContain(`outside://${name}/demo://resource/dynamic/`);
        expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
      }
    });

    test('arguments of prompts and templates are completed', async () => {
      const client = await connect({ mode });
      const complete = async (...[ref, argument, context]: [Parameters<Client['complete']>[0]['ref'], string, Record<string, string>?]) => {
        const [field = '', value = ''] = argument.split('=');
        const asked = { ref, argument: { name: field, value }, ...(context && { context: { arguments: context } }) };
        return (await client.complete(asked)).completion.values;
      };
      const prompt = { type: 'ref/prompt', name: `${name}__completable-prompt` } as const;
      expect(await complete(prompt, 'department=E')).toEqual(['Engineering']);
      expect(await complete(prompt, 'name=A', { department: 'Engineering' })).toEqual(['Alice']);
      const template = { type: 'ref/resource', uri: `outside://${name}/demo://resource/dynamic/text/{resourceId}` } as const;
      expect(await complete(template, 'resourceId=7')).toEqual(['7']);
      expect(await complete({ type: 'ref/resource', uri: 'skill://{+path}' }, 'path=c')).toEqual([]);
    });

    test('what there is not is refused in words', async () => {
      const client = await connect({ mode });
      for (const uri of [
        `outside://${name}/demo://resource/dynamic/text/none`,
        'outside://nobody/demo://resource/1',
        `outside://${name}/`,
        'skill://none',
      ])
        await expect(client.readResource({ uri })).rejects.toThrow(/not found|No resource|Invalid|says/i);
      for (const prompt of [`${name}__none`, 'nobody__prompt', 'args-prompt'])
        await expect(client.getPrompt({ name: prompt })).rejects.toThrow('There is no prompt');
      await expect(client.request({ method: 'resources/list', params: { cursor: 'mine' } })).rejects.toThrow(
        "'cursor' is none of this list",
      );
    });
  });

  test('two servers with the same addresses and names do not collide', async () => {
    await using one = await outside.withServer([tool('look')]);
    await using two = await outside.withServer([tool('look')]);
    for (const { server, name: itsName } of [one, two]) {
      server.resources = [{ uri: 'file:///notes/../a b.txt', name: 'same' }];
      server.prompts = [{ name: 'same' }, { name: 'häßlich' }];
      server.read = (uri) => ({ contents: [{ uri, text: `${itsName} has ${uri}` }] });
      await outside.register({ name: itsName, url: `${server.url}/mcp` });
    }
    const client = await connect();
    for (const { name: itsName } of [one, two]) {
      const uri = `outside://${itsName}/file:///notes/../a b.txt`;
      expect(await urisOf(client)).toContain(uri);
      expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: `${itsName} has file:///notes/../a b.txt` }]);
      const prompts = (await promptsOf(client)).filter((prompt) => prompt.startsWith(`${itsName}__`));
      expect(prompts).toEqual([`${itsName}__same`, expect.stringMatching(/^t\w+__h_lich_[0-9a-f]{8}$/)]);
      const { messages } = await client.getPrompt({ name: prompts[1] ?? '' });
      expect(JSON.stringify(messages)).toContain('häßlich');
    }
  });

  test('a long list comes in pages', async () => {
    await using there = await outside.withServer([tool('look')]);
    there.server.resources = Array.from({ length: 1_500 }, (_, index) => ({ uri: `file:///${index}`, name: `${index}` }));
    await outside.register({ name: there.name, url: `${there.server.url}/mcp` });
    const client = await connect();
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(2);
    expect(seen.filter((uri) => uri.startsWith(`outside://${there.name}/`))).toHaveLength(1_500);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain('skill://core/SKILL.md');
  });

  test('lists use up none of the calls of a day, however often they are read', async () => {
    const key = await outside.system.tenant.key({ userId: 'polls', tier: 'free' });
    for (let made = 0; made < 5; made++) {
      await using there = await outside.withServer([tool('look')]);
      there.server.resources = [{ uri: 'file:///a', name: 'a' }];
      await outside.register({ name: there.name, url: `${there.server.url}/mcp` });
      const client = await connect({ key, query: `?tools=${there.name}__look` });
      const { resources, _meta } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain(`outside://${there.name}/file:///a`);
      expect(faultsIn(_meta)).toEqual([]);
      await outside.admin.delete(`/mcp/servers/${there.name}`);
    }
    const client = await connect({ key });
    const uri = `outside://${name}/demo://resource/dynamic/text/1`;
    const refusals: boolean[] = [];
    for (let read = 0; read < 4; read++)
      refusals.push(
        await client.readResource({ uri }).then(
          () => false,
          (error: unknown) => String(error).includes('3 tool calls a day'),
        ),
      );
    expect(refusals).toEqual([false, false, false, true]);
  });

  test('a server that is away costs its own part of a list, and is named', async () => {
    await using there = await outside.withServer([tool('look')]);
    there.server.resources = [{ uri: 'file:///a', name: 'a' }];
    await outside.register({ name: there.name, url: `${there.server.url}/mcp` });
    there.server.before = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const client = await connect();
    const { resources, _meta } = await client.listResources();
    expect(faultsIn(_meta)).toEqual([{ server: there.name, reason: `${there.name} answered with an error` }]);
    expect(resources.some(({ uri }) => uri.startsWith(`outside://${name}/`))).toBe(true);
    await expect(client.readResource({ uri: `outside://${there.name}/file:///a` })).rejects.toThrow(
      `${there.name}: The service behind this tool answered with an error`,
    );
  });

  test('clients at every gateway hear of a change, and read the new list', async () => {
    await using there = await outside.withServer([tool('look')]);
    await outside.register({ name: there.name, url: `${there.server.url}/mcp` });
    const heard = new Map<string, number>();
    const listeners = await Promise.all(
      [0, 1].flatMap((gateway) =>
        (['auto', 'legacy'] as const).map(async (mode) =>
          connect({ mode, gateway, onChange: (list) => void heard.set(`${gateway} ${mode} ${list}`, 1) }),
        ),
      ),
    );
    for (const client of listeners) expect((await urisOf(client)).filter((uri) => uri.includes(there.name))).toEqual([]);
    heard.clear();
    there.server.resources = [{ uri: 'file:///new', name: 'new' }];
    there.server.announce();
    await eventually(() => heard.size === 8, { what: `all clients to hear of it: ${[...heard.keys()].join(', ')}` });
    for (const client of listeners) expect(await urisOf(client)).toContain(`outside://${there.name}/file:///new`);
  });

  describe('is for those alone who see a tool of the server', () => {
    let own: Awaited<ReturnType<OutsideSystem['withServer']>>;
    let uri: string;

    beforeAll(async () => {
      own = await outside.withServer([tool('look', { annotations: { readOnlyHint: true } }), tool('change')]);
      own.server.resources = [{ uri: 'file:///own', name: 'own' }];
      own.server.prompts = [{ name: 'own' }];
      await outside.register({ name: own.name, url: `${own.server.url}/mcp`, tenants: 'own' });
      uri = `outside://${own.name}/file:///own`;
    }, startTimeoutMs);
    afterAll(async () => own?.[Symbol.asyncDispose]());

    async function expectSeen(isSeen: boolean, how: Connecting): Promise<void> {
      for (const mode of ['auto', 'legacy'] as const) {
        const client = await connect({ ...how, mode });
        expect((await urisOf(client)).includes(uri)).toBe(isSeen);
        expect((await promptsOf(client)).includes(`${own.name}__own`)).toBe(isSeen);
        const read = client.readResource({ uri });
        const got = client.getPrompt({ name: `${own.name}__own` });
        if (isSeen) expect([(await read).contents, (await got).messages]).toMatchObject([[{ uri }], [{ role: 'user' }]]);
        else {
          await expect(read).rejects.toThrow(/not found/i);
          await expect(got).rejects.toThrow('There is no prompt');
          const complete = client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'a', value: '' } });
          await expect(complete).rejects.toThrow('no such template');
        }
      }
    }

    test('its own tenant', async () => expectSeen(true, {}));

    test('no other tenant', async () => {
      await using other = await Tenant.create(outside.databaseUrl);
      await expectSeen(false, { key: await other.key() });
      await expectSeen(false, { key: await other.key({ scopes: ['admin'] }) });
    });

    test('a key for some of its tools, and none for others', async () => {
      const { tenant } = outside.system;
      await expectSeen(true, { key: await tenant.key({ tools: [`${own.name}__look`] }) });
      await expectSeen(false, { key: await tenant.key({ tools: ['calc_metrics'] }) });
    });

    test('an address for some of its tools, and none for others', async () => {
      await expectSeen(true, { query: '?read_only=true' });
      await expectSeen(true, { query: '?tools=search' });
      await expectSeen(false, { query: '?tools=calc_metrics' });
      await expectSeen(false, { query: '?domain=profile' });
    });

    test('a set with one of its tools, and none without', async () => {
      const make = async (set: string, json: object) => (await outside.admin.request(`/toolsets/${set}`, { method: 'PUT', json })).status;
      expect(await make('with', { tools: [`${own.name}__look`], prefix: 'x_', read_only: true })).toBe(201);
      expect(await make('without', { tools: ['calc_metrics'] })).toBe(201);
      await expectSeen(true, { query: '?set=with' });
      await expectSeen(false, { query: '?set=without' });
    });

    test('nobody once it is removed', async () => {
      expect((await outside.admin.delete(`/mcp/servers/${own.name}`)).status).toBe(200);
      await expectSeen(false, {});
    });
  });
});
