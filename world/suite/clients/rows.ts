import { Broken } from '#lib/testing';
import type { Place } from '../place.js';
import type { Row } from '../row.js';
import { runProgram } from '../run-program.js';
import { register } from '../servers/registered.js';
import { clientCases, filesCommand } from './cases.js';

interface Client {
  readonly name: string;
  readonly package: string;
  /** A file in world/packages/programs/clients. */
  readonly program: string;
  readonly short?: true;
}

const clients: readonly Client[] = [
  { name: 'MCP TypeScript SDK 1', package: '@modelcontextprotocol/sdk', program: 'sdk1.mjs', short: true },
  { name: 'MCP TypeScript SDK 2', package: '@modelcontextprotocol/client', program: 'sdk2.mjs', short: true },
  { name: 'AI SDK 7 with MCP', package: 'ai', program: 'ai7.mjs', short: true },
  { name: 'AI SDK 6 with MCP', package: 'ai6', program: 'ai6.mjs' },
  { name: 'AI SDK 5 with MCP', package: 'ai5', program: 'ai5.mjs' },
  { name: 'OpenAI SDK with GET /tools', package: 'openai', program: 'openai.mjs', short: true },
  { name: 'Anthropic SDK with GET /tools', package: '@anthropic-ai/sdk', program: 'anthropic.mjs' },
  { name: 'OpenAI Agents SDK', package: '@openai/agents', program: 'openai-agents.mjs' },
  { name: 'LangChain', package: '@langchain/mcp-adapters', program: 'langchain.mjs' },
  { name: 'Mastra', package: '@mastra/mcp', program: 'mastra.mjs' },
  { name: 'LlamaIndex', package: '@llamaindex/tools', program: 'llamaindex.mjs' },
  { name: 'mcp-remote', package: 'mcp-remote', program: 'mcp-remote.mjs' },
  { name: 'MCP Inspector', package: '@modelcontextprotocol/inspector', program: 'inspector.mjs' },
  { name: 'mcporter', package: 'mcporter', program: 'mcporter.mjs' },
];

export const clientRows: readonly Row[] = clients.map(({ name, package: source, program, short = false }) => ({
  group: 'clients',
  name,
  source,
  holds: 'its model is told the data of a success, why a call was refused or failed, where a file is, and the beginning of a long text',
  short,
  commands: filesCommand,
  attempt: async (place) => {
    await filesServed(place);
    const id = program.replace('.mjs', '');
    const questions = Object.entries(clientCases).map(([label, { tool, input }]) => ({
      id: `(${id} ${label})`,
      text: `(${id} ${label}) Please call ${tool} with ${JSON.stringify(input(place.folder))}`,
    }));
    const output = await runProgram(`clients/${program}`, {
      url: place.system.gateway.url,
      key: place.key,
      model: place.model.url,
      questions,
    });
    const told = Object.entries(clientCases).map(([label, { check }]): readonly [string, number] => {
      const text = place.model.toldOf(`(${id} ${label})`);
      if (text === null) throw new Broken(`${label}: the model was told nothing. ${output.slice(-400)}`);
      const plain = text.replaceAll('\\', '');
      try {
        check(plain);
      } catch (error) {
        throw new Broken(`${label}: ${error instanceof Error ? error.message : String(error)}`);
      }
      return [label, text.length];
    });
    return `characters: ${told.map(([label, length]) => `${label} ${length}`).join(', ')}`;
  },
}));

const served = new WeakMap<Place, Promise<unknown>>();

/** Once, whichever client is first. */
function filesServed(place: Place): Promise<unknown> {
  const registering = served.get(place) ?? register(place, { name: 'files', stdio: 'files', tools: ['read_text_file'] });
  served.set(place, registering);
  return registering;
}
