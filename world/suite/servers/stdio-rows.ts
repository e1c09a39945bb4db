import type { Row } from '../row.js';
import { z } from 'zod';
import { must } from '#lib/testing';
import { mustAnswer, mustServe, register } from './registered.js';
import { commandOf, killServer, type StdioServer } from './stdio.js';

interface TriedServer extends StdioServer {
  /** How many tools this version lists. */
  readonly lists: number;
  /** A call that needs neither a network nor an account. It is tried again after the server was killed. */
  readonly asks?: { readonly tool: string; readonly input: object; readonly holds: RegExp };
  readonly short?: true;
}

const key = 'not-a-key-0123456789';

const servers: readonly TriedServer[] = [
  {
    name: 'everything',
    package: '@modelcontextprotocol/server-everything',
    lists: 15,
    asks: { tool: 'get-sum', input: { a: 19, b: 23 }, holds: /42/ },
  },
  {
    name: 'filesystem',
    package: '@modelcontextprotocol/server-filesystem',
    args: ['{folder}'],
    lists: 14,
    asks: { tool: 'read_text_file', input: { path: 'note.txt' }, holds: /written for the world/ },
    short: true,
  },
  {
    name: 'memory',
    package: '@modelcontextprotocol/server-memory',
    env: { MEMORY_FILE_PATH: '{folder}/memory.jsonl' },
    lists: 9,
    asks: { tool: 'read_graph', input: {}, holds: /entities/ },
    short: true,
  },
  {
    name: 'thinking',
    package: '@modelcontextprotocol/server-sequential-thinking',
    lists: 1,
    asks: {
      tool: 'sequentialthinking',
      input: { thought: 'one step', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true },
      holds: /nextThoughtNeeded/,
    },
    short: true,
  },
  { name: 'github', package: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: key }, lists: 26 },
  { name: 'postgres', package: '@modelcontextprotocol/server-postgres', args: ['postgres://127.0.0.1:9/none'], lists: 1 },
  { name: 'google-maps', package: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: key }, lists: 7 },
  { name: 'context7', package: '@upstash/context7-mcp', lists: 2 },
  { name: 'playwright', package: '@playwright/mcp', args: ['--headless'], lists: 25 },
  {
    name: 'devtools',
    package: 'chrome-devtools-mcp',
    env: { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1' },
    args: ['--no-usage-statistics'],
    lists: 32,
  },
  { name: 'notion', package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: key }, lists: 24 },
  { name: 'brave', package: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: key }, lists: 8 },
  { name: 'tavily', package: 'tavily-mcp', env: { TAVILY_API_KEY: key }, lists: 5 },
  { name: 'exa', package: 'exa-mcp-server', env: { EXA_API_KEY: key }, lists: 2 },
  {
    name: 'gitlab',
    package: '@zereight/mcp-gitlab',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: key, GITLAB_API_URL: 'http://127.0.0.1:9/api/v4' },
    lists: 118,
  },
  { name: 'firecrawl', package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: key }, lists: 29 },
  { name: 'perplexity', package: '@perplexity-ai/mcp-server', env: { PERPLEXITY_API_KEY: key }, lists: 4 },
  { name: 'circleci', package: '@circleci/mcp-server-circleci', env: { CIRCLECI_TOKEN: key }, lists: 13 },
  { name: 'shortcut', package: '@shortcut/mcp', env: { SHORTCUT_API_TOKEN: key }, lists: 56 },
  { name: 'hubspot', package: '@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: key }, lists: 21 },
  { name: 'figma', package: 'figma-developer-mcp', args: ['--stdio', '--no-telemetry'], env: { FIGMA_API_KEY: key }, lists: 2 },
  { name: 'charts', package: '@antv/mcp-server-chart', lists: 27 },
  { name: 'asana', package: '@roychri/mcp-server-asana', env: { ASANA_ACCESS_TOKEN: key }, lists: 41 },
  { name: 'airtable', package: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: key }, lists: 16 },
  { name: 'amap', package: '@amap/amap-maps-mcp-server', env: { AMAP_MAPS_API_KEY: key }, lists: 12 },
  { name: 'airbnb', package: '@openbnb/mcp-server-airbnb', lists: 2 },
  { name: 'eslint', package: '@eslint/mcp', lists: 1 },
];

const restartWithinMs = 20_000;

const resting = z.looseObject({ job_id: z.string(), rest: z.looseObject({ reason: z.literal('question'), input_request: z.string() }) });

export const stdioRows: readonly Row[] = servers.map((server) => {
  const { name, lists, asks, short = false } = server;
  const called = asks ? `; ${asks.tool} answers, and answers again after the server was killed` : '';
  return {
    group: 'servers',
    name: `${name} over stdio`,
    source: server.package,
    holds: `${lists} of ${lists} tools are served${called}`,
    short,
    commands: { [name]: commandOf(server) },
    attempt: async (place) => {
      const registered = await register(place, { name, stdio: name, timeout_ms: 60_000 });
      mustServe(registered, lists);
      if (!asks) return `${registered.served.length} tools`;
      const input: object = JSON.parse(JSON.stringify(asks.input).replaceAll('{folder}', place.folder));
      const nameHere = registered.served.find(({ tool }) => tool === asks.tool)?.name ?? '';
      await mustAnswer(place, { ...asks, tool: nameHere, input });
      killServer(server, place.folder);
      await mustAnswer(place, { ...asks, tool: nameHere, input }, restartWithinMs);
      return `${registered.served.length} tools, called before and after a kill`;
    },
  };
});

const [everything] = stdioRows;

/** A server that asks the caller of a call. */
export const askingRow: Row = {
  group: 'servers',
  name: 'everything asks',
  source: '@modelcontextprotocol/server-everything',
  holds: 'its question in the middle of a call reaches the caller, and the answer reaches it',
  short: false,
  ...(everything?.commands && { commands: everything.commands }),
  attempt: async (place) => {
    const { served } = await register(place, { name: 'everything', stdio: 'everything', timeout_ms: 60_000 });
    const asking = served.find(({ tool }) => tool === 'trigger-elicitation-request')?.name ?? '';
    const { job_id: jobId, rest } = (await place.user.post(`/tools/${asking}`, {})).as(resting);
    const content = { name: 'Ada', check: true, titledSingleSelectEnum: 'hero-2' };
    const answered = await place.user.post(`/input-requests/${rest.input_request}`, { action: 'accept', content });
    must(answered.status === 200, `the answer was refused: ${answered.text}`);
    const { text } = await place.user.get(`/jobs/${jobId}?wait=30`);
    must(text.includes('Ada') && text.includes('hero-2'), `the server did not get the answer: ${text.slice(0, 400)}`);
    return 'asked, answered and told';
  },
};
