// MCP Apps of outside servers: pages that a client shows beside the results of tools, with what an administrator allows them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, startTimeoutMs } from '#lib/testing';
import type { OutsideServer } from '../outside-server.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(60_000);

const mimeType = 'text/html;profile=mcp-app';
const page = 'ui://weather/view.html';
const ui = {
  csp: { connectDomains: ['https://api.example.com', 'https://evil.example'], resourceDomains: ['https://img.cdn.example.com'] },
  permissions: { geolocation: {}, camera: {} },
  domain: 'weather.example',
  prefersBorder: true,
};

describe('pages of outside tools', () => {
  let outside: OutsideSystem;
  const clients: Client[] = [];

  beforeAll(async () => {
    outside = await startOutsideSystem({ inProcess });
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await outside?.[Symbol.asyncDispose]();
  });

  async function connect(mode: 'auto' | 'legacy' = 'auto', key?: string): Promise<Client> {
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } };
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities: { extensions } });
    const authorization = `Bearer ${key ?? (await outside.system.tenant.key())}`;
    const url = new URL('/mcp?result=data', outside.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
    clients.push(client);
    return client;
  }

  const withPage = (name: string, resourceUri: string = page) =>
    tool(name, { _meta: { ui: { resourceUri, visibility: ['model', 'app'] }, 'some/other': 1 } });

  function show(server: OutsideServer): void {
    server.resources = [{ uri: page, name: 'view', mimeType, _meta: { ui } }];
    server.read = (uri) => ({ contents: [{ uri, mimeType, text: '<!doctype html><p>rain</p>', _meta: { ui } }] });
  }

  const definitionOf = async (client: Client, name: string) => (await client.listTools()).tools.find((one) => one.name === name);

  test.each(['auto', 'legacy'] as const)(
    'in mode %s a tool names its page at an address that can be read, and the page may do nothing',
    async (mode) => {
      await using at = await outside.withServer([withPage('forecast'), tool('old', { _meta: { 'ui/resourceUri': page } })]);
      show(at.server);
      await outside.register({ name: at.name, url: `${at.server.url}/mcp` });
      const client = await connect(mode);
      expect(client.getServerCapabilities()?.extensions).toMatchObject({ 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } });
      const here = `ui://${at.name}/weather/view.html`;
      const definition = await definitionOf(client, `${at.name}__forecast`);
      expect(definition?._meta).toMatchObject({ ui: { resourceUri: here, visibility: ['model', 'app'] }, 'ui/resourceUri': here });
      expect((await definitionOf(client, `${at.name}__old`))?._meta).toMatchObject({ ui: { resourceUri: here } });
      const narrowed = { csp: {}, permissions: {}, prefersBorder: true };
      const [listed] = (await client.listResources()).resources.filter(({ uri }) => uri === here);
      expect([listed?.mimeType, listed?._meta?.['ui']]).toEqual([mimeType, narrowed]);
      const [read] = (await client.readResource({ uri: here })).contents;
      expect(read).toMatchObject({ uri: here, mimeType, text: expect.stringContaining('rain') });
      expect(read?._meta).toEqual({
        ui: narrowed,
        'invoq/left_out': expect.arrayContaining(['connectDomains https://evil.example', 'permission camera']),
      });
      await client.callTool({ name: `${at.name}__forecast`, arguments: { word: 'a' } });
      expect(JSON.stringify(at.server.calls.at(-1)?.envelope)).toContain(mimeType);
      const stranger = await connect(mode, await outside.system.tenant.key({ userId: 'stranger', tools: ['get_weather'] }));
      await expect(stranger.readResource({ uri: here })).rejects.toThrow();
    },
  );

  test('a registration allows hosts and what of the device pages may use', async () => {
    await using at = await outside.withServer([withPage('forecast')]);
    show(at.server);
    const apps = { domains: ['https://api.example.com', 'https://*.cdn.example.com'], permissions: ['geolocation'] };
    expect(await outside.register({ name: at.name, url: `${at.server.url}/mcp`, apps })).toMatchObject({ apps });
    const [read] = (await (await connect()).readResource({ uri: `ui://${at.name}/weather/view.html` })).contents;
    expect(read?._meta?.['ui']).toEqual({
      csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://img.cdn.example.com'] },
      permissions: { geolocation: {} },
      prefersBorder: true,
    });
    for (const [wrong, words] of [
      [{ domains: ['*'] }, 'apps.domains'],
      [{ permissions: ['bluetooth'] }, 'apps.permissions'],
    ] as const)
      await expect(outside.register({ name: at.name, url: `${at.server.url}/mcp`, apps: wrong })).rejects.toThrow(words);
  });

  test('a page that came after the approval is not shown, and another one suspends its tool', async () => {
    await using at = await outside.withServer([tool('late'), withPage('shifty'), withPage('odd', 'https://evil.example/page')]);
    show(at.server);
    await outside.register({ name: at.name, url: `${at.server.url}/mcp` });
    const client = await connect();
    expect((await definitionOf(client, `${at.name}__odd`))?._meta).not.toHaveProperty('ui');
    at.server.tools = [withPage('late'), withPage('shifty', 'ui://weather/other.html'), withPage('odd', 'https://evil.example/page')];
    const call = async (name: string) => JSON.stringify(await client.callTool({ name: `${at.name}__${name}`, arguments: { word: 'a' } }));
    await eventually(async () => (await call('shifty')).includes('suspended'));
    expect(await call('late')).not.toContain('suspended');
    expect((await definitionOf(client, `${at.name}__late`))?._meta).not.toHaveProperty('ui');
    await outside.register({ name: at.name, url: `${at.server.url}/mcp` });
    const renewed = await eventually(async () => {
      const meta = (await definitionOf(await connect(), `${at.name}__late`))?._meta;
      return meta?.['ui'] !== undefined && meta;
    });
    expect(renewed).toMatchObject({ ui: { resourceUri: `ui://${at.name}/weather/view.html` } });
  });
});
