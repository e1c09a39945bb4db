import { pickPort } from '../../../scripts/provision/ports.js';
import { join } from 'node:path';
import { programOf, worldFolder } from '../packages.js';
import type { Row } from '../row.js';
import { HttpServerProcess } from './http.js';
import { mustAnswer, mustServe, register } from './registered.js';

interface HttpServer {
  /** Under which the product knows it; at most 24 characters. */
  readonly name: string;
  readonly what: string;
  readonly package: string;
  /** Instead of the program of the package: a file in world/packages/programs/servers. */
  readonly program?: string;
  readonly args?: (port: number) => readonly string[];
  readonly env?: (port: number) => Readonly<Record<string, string>>;
  /** As it is registered. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default /mcp. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly lists: number;
  /** A call that needs no network; it is tried again after the server was started again. */
  readonly asks?: { readonly tool: string; readonly input: object; readonly holds: RegExp };
  readonly short?: true;
}

const sum = { tool: 'get-sum', input: { a: 19, b: 23 }, holds: /42/ };
const everything = '@modelcontextprotocol/server-everything';
const key = 'not-a-key-0123456789';

const servers: readonly HttpServer[] = [
  {
    name: 'everything-http',
    what: 'everything over Streamable HTTP',
    package: everything,
    args: () => ['streamableHttp'],
    env: (port) => ({ PORT: String(port) }),
    lists: 15,
    asks: sum,
    short: true,
  },
  {
    name: 'everything-sse',
    what: 'everything over HTTP+SSE, the transport of 2024',
    package: everything,
    args: () => ['sse'],
    env: (port) => ({ PORT: String(port) }),
    path: '/sse',
    lists: 15,
    asks: sum,
  },
  {
    name: 'fastmcp',
    what: 'a server of FastMCP',
    package: 'fastmcp',
    program: 'fastmcp.mjs',
    args: (port) => [String(port)],
    lists: 2,
    asks: { tool: 'add', input: { a: 19, b: 23 }, holds: /42/ },
    short: true,
  },
  {
    name: 'sdk1',
    what: 'a server of the TypeScript SDK 1, with sessions, as its examples show it',
    package: '@modelcontextprotocol/sdk',
    program: 'sdk1.mjs',
    args: (port) => [String(port)],
    lists: 2,
    asks: { tool: 'add', input: { a: 19, b: 23 }, holds: /42/ },
    short: true,
  },
  {
    name: 'mcp-proxy',
    what: 'mcp-proxy before everything over stdio',
    package: 'mcp-proxy',
    args: (port) => ['--port', String(port), '--host', '127.0.0.1', '--', process.execPath, programOf(everything)],
    lists: 13,
    asks: sum,
  },
  {
    name: 'context7-http',
    what: 'context7 over HTTP',
    package: '@upstash/context7-mcp',
    args: (port) => ['--transport', 'http', '--port', String(port)],
    lists: 2,
  },
  {
    name: 'playwright-http',
    what: 'playwright over HTTP',
    package: '@playwright/mcp',
    args: (port) => ['--headless', '--host', '127.0.0.1', '--port', String(port)],
    // It refuses requests that name it otherwise.
    host: 'localhost',
    lists: 25,
  },
  {
    name: 'charts-http',
    what: 'charts over HTTP',
    package: '@antv/mcp-server-chart',
    args: (port) => ['--transport', 'streamable', '--host', '127.0.0.1', '--port', String(port)],
    lists: 27,
  },
  {
    name: 'notion-http',
    what: 'notion over HTTP, which asks for a token',
    package: '@notionhq/notion-mcp-server',
    args: (port) => ['--transport', 'http', '--port', String(port), '--auth-token', key],
    env: () => ({ NOTION_TOKEN: key }),
    headers: { Authorization: `Bearer ${key}` },
    lists: 24,
  },
];

const restartWithinMs = 30_000;

export const httpRows: readonly Row[] = servers.map(
  ({ name, what, lists, asks, short = false, host = '127.0.0.1', path = '/mcp', headers, ...server }) => ({
    group: 'servers',
    name: what,
    source: server.package,
    holds: `registered by its address; ${lists} of ${lists} tools are served${asks ? `; ${asks.tool} answers, and answers again after the server was started again` : ''}`,
    short,
    attempt: async (place) => {
      const port = await pickPort();
      const program = server.program === undefined ? programOf(server.package) : join(worldFolder, 'programs/servers', server.program);
      const env = server.env?.(port) ?? {};
      await using running = await HttpServerProcess.start({ program, port, args: server.args?.(port) ?? [], env, folder: place.folder });
      const registered = await register(place, { name, url: `http://${host}:${port}${path}`, ...(headers && { headers }) });
      mustServe(registered, lists);
      if (!asks) return `${registered.served.length} tools`;
      const tool = registered.served.find((one) => one.tool === asks.tool)?.name ?? '';
      await mustAnswer(place, { ...asks, tool });
      await running.restart();
      await mustAnswer(place, { ...asks, tool }, restartWithinMs);
      return `${registered.served.length} tools, called before and after a restart`;
    },
  }),
);
