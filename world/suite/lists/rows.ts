import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#lib/testing';
import type { Place } from '../place.js';
import { runProgram } from '../run-program.js';
import type { Row } from '../row.js';
import { filled, listedCommands } from './filled.js';
import { listedIn } from './listed.js';
import { faultsOf } from './rules.js';

const provided = (['openai', 'anthropic'] as const).map((provider): Row => ({
  group: 'lists',
  name: `the rules of ${provider} for GET /tools?format=${provider}`,
  source: provider === 'openai' ? 'openai' : '@anthropic-ai/sdk',
  holds: 'every tool of hard definitions and of four servers keeps the rules of names, descriptions, parameters and strict mode',
  short: true,
  commands: listedCommands,
  attempt: async (place) => {
    const count = await filled(place);
    const tools = listedIn[provider]((await place.user.get(`/tools?format=${provider}`)).body);
    must(tools.length > count, `${tools.length} tools are listed`);
    const faults = tools.flatMap((tool) => faultsOf(tool, provider).map((fault) => `${tool.name}: ${fault}`));
    must(faults.length === 0, `${faults.length} faults: ${faults.slice(0, 12).join('; ')}`);
    return `${tools.length} tools, ${tools.filter(({ strict }) => strict).length} of them strict`;
  },
}));

interface Reader {
  readonly name: string;
  readonly package: string;
  /** A file in world/packages/programs/readers; it fails where it cannot read the document. */
  readonly program: string;
}

const readers: readonly Reader[] = [
  { name: 'openapi-typescript', package: 'openapi-typescript', program: 'openapi-typescript.mjs' },
  { name: 'swagger-parser', package: '@apidevtools/swagger-parser', program: 'swagger-parser.mjs' },
  { name: 'Hey API', package: '@hey-api/openapi-ts', program: 'hey-api.mjs' },
  { name: 'Orval', package: 'orval', program: 'orval.mjs' },
  { name: 'Redocly', package: '@redocly/openapi-core', program: 'redocly.mjs' },
];

const read = readers.map(({ name, package: source, program }): Row => ({
  group: 'lists',
  name: `${name} reads /openapi.json`,
  source,
  holds: 'with the same tools in it, the whole document is read',
  short: name === 'swagger-parser',
  commands: listedCommands,
  attempt: async (place) => {
    await filled(place);
    const file = await savedDocument(place);
    return (await runProgram(`readers/${program}`, { file, out: join(place.folder, program.replace('.mjs', '')) })).trim().slice(-120);
  },
}));

const inspected: Row = {
  group: 'lists',
  name: 'the Inspector looks at the list of /mcp',
  source: '@modelcontextprotocol/inspector',
  holds: 'it finds nothing in a schema that other clients could not read',
  short: false,
  commands: listedCommands,
  attempt: async (place) => {
    await filled(place);
    const { url } = place.system.gateway;
    return (await runProgram('readers/inspector.mjs', { url: `${url}/mcp?result=data`, key: place.key })).trim().slice(-120);
  },
};

export const listRows: readonly Row[] = [...provided, ...read, inspected];

async function savedDocument({ user, folder }: Place): Promise<string> {
  const reply = await user.get('/openapi.json');
  must(reply.status === 200 && reply.text.includes('hard__plain'), `/openapi.json → ${reply.status}, without the outside tools`);
  const file = join(folder, 'openapi.json');
  writeFileSync(file, reply.text);
  return file;
}
