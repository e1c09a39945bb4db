import type { Place } from '../place.js';
import { RawServer } from '../reports/raw-server.js';
import type { Command } from '../row.js';
import { register } from '../servers/registered.js';
import { commandOf, type StdioServer } from '../servers/stdio.js';
import { hardTools } from './hard-tools.js';

const key = 'not-a-key-0123456789';

/** Real definitions besides the hard ones: generated from an OpenAPI document, by Zod, by hand. */
const servers: readonly StdioServer[] = [
  { name: 'list-files', package: '@modelcontextprotocol/server-filesystem', args: ['{folder}'] },
  { name: 'list-notion', package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: key } },
  { name: 'list-github', package: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: key } },
  { name: 'list-charts', package: '@antv/mcp-server-chart' },
];

export const listedCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  servers.map((server) => [server.name, commandOf(server)]),
);

const filling = new WeakMap<Place, Promise<number>>();

/** Registers servers whose definitions are hard, once for a place, whichever row is first. Gives the number of their tools. */
export function filled(place: Place): Promise<number> {
  const work = filling.get(place) ?? fill(place);
  filling.set(place, work);
  return work;
}

async function fill(place: Place): Promise<number> {
  await using raw = await RawServer.start({ tools: hardTools });
  const hard = await register(place, { name: 'hard', url: raw.url });
  let count = hard.served.length;
  for (const { name } of servers) count += (await register(place, { name, stdio: name, timeout_ms: 60_000 })).served.length;
  return count;
}
