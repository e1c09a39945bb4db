// What the registry of MCP knows of a server: `server.json`, made from the tools that the gateway has.
import type { ToolDefinition } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect, gatewayUrl } from './connect.js';

const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** One stroke, between a domain that is written backwards and the name of the server there. */
const nameShape = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const longestName = 200;
const longestVersion = 255;
/** What the registry takes for a range, and `latest`, which it refuses. */
const noVersion = /^(?:latest$|[\^~<>=])|\s|\*|(?:^|\.)x(?:\.|$)/i;
/** Characters of a title, and of a description. */
const longestText = 100;
/** Bytes of what a publisher may add; the registry refuses more than 4 KiB. */
const maxAddedBytes = 3_800;
const added = 'io.modelcontextprotocol.registry/publisher-provided';

export const serverJson = defineCommand({
  positionals: ['<name>'],
  options: {
    url: { type: 'string', value: '<url>', help: 'the public address of the gateway (default: the one that is asked)' },
    title: { type: 'string', value: '<text>', help: 'its name for people (default: Invoq)' },
    description: { type: 'string', value: '<text>', help: 'at most 100 characters (default: made of the tools)' },
    version: { type: 'string', value: '<version>', help: 'of the entry, another for each that you publish (default: 1.0.0)' },
    set: { type: 'string', value: '<name>', help: 'only the tools of this set, at /mcp?set=<name>' },
  },
  notes: `Prints server.json for the registry of MCP: <name> is such as com.example/tools, of a domain or an account that you own there.
The tools are those that your key sees. mcp-publisher publishes the file.`,
  async run({ positionals: [name = ''], values: { url, title = 'Invoq', description, version = '1.0.0', set } }) {
    if (!nameShape.test(name) || name.length > longestName)
      throw new UsageError('<name> must be a domain written backwards and a name, such as com.example/tools');
    for (const [option, text] of Object.entries({ title, description }))
      if (text !== undefined && (text === '' || text.length > longestText))
        throw new UsageError(`--${option} must have 1 to ${longestText} characters`);
    if (version === '' || version.length > longestVersion || noVersion.test(version))
      throw new UsageError(`--version must be one version of 1 to ${longestVersion} characters, such as 1.2.3, and no range`);
    const tools = await connect().tools(set === undefined ? {} : { set });
    if (tools.length === 0) throw new UsageError('Your key sees no tool, so there is nothing to publish');
    const entry = {
      $schema: schema,
      name,
      title,
      description: description ?? describe(tools),
      version,
      remotes: [{ type: 'streamable-http', url: addressOf(url ?? gatewayUrl(), set), headers: [authorization] }],
      _meta: { [added]: { tools: listOf(tools) } },
    };
    print(JSON.stringify(entry, null, 2));
  },
});

const authorization = {
  name: 'Authorization',
  description: 'An API key of the gateway.',
  isRequired: true,
  isSecret: true,
  value: 'Bearer {api_key}',
  variables: { api_key: { description: 'API key', isRequired: true, isSecret: true } },
};

/** Throws UsageError. */
function addressOf(given: string, set: string | undefined): string {
  if (!URL.canParse(given) || !/^https?:/.test(given)) throw new UsageError('--url must be an address such as https://tools.example.com');
  const url = new URL(given);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/mcp`;
  url.search = set === undefined ? '' : `?set=${encodeURIComponent(set)}`;
  url.hash = '';
  return url.href;
}

/** As many names as there is room for. */
function describe(tools: readonly ToolDefinition[]): string {
  const head = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}: `;
  const names = tools.map(({ name }) => name);
  for (let shown = names.length; shown > 0; shown--) {
    const text = head + names.slice(0, shown).join(', ') + (shown < names.length ? ', …' : '');
    if (text.length <= longestText) return text;
  }
  return head.slice(0, -2);
}

/** The tools that there is room for, in their order. */
function listOf(tools: readonly ToolDefinition[]): readonly object[] {
  const shown = tools.map(({ name, title, read_only }) => ({ name, title, read_only }));
  while (Buffer.byteLength(JSON.stringify(shown)) > maxAddedBytes) shown.pop();
  return shown;
}
