// The page of all that a tool of a tenant may say of itself, and of what its function gets: read from the types of the worker library.
import { z } from 'zod';
import { errorCodes, failureCode } from '#lib/contracts';
import { tool } from '#lib/serve';
import { SourceTypes, type InterfaceField } from './interface-fields.js';
import { code, tableOf, type Page } from './page.js';

/** Where the types are declared. */
const sources = [
  'libs/serve/src/own-contract.ts',
  'libs/serve/src/tool.ts',
  'libs/serve/src/serve.ts',
  'libs/contracts/src/define-tool.ts',
  'libs/contracts/src/marks.ts',
  'libs/handlers/src/context.ts',
  'libs/handlers/src/failures.ts',
];

export function toolFieldsPage(): Page {
  const types = new SourceTypes(sources);
  const short = new Map(types.fieldsOf('ToolSpec').map((field) => [field.name, field]));
  const contract = types.fieldsOf('OwnContract').map((field) => {
    const inShort = short.get(field.name) ?? field;
    const needed = field.isOptional ? '' : inShort.isOptional ? 'in `defineTool`' : 'yes';
    const meanings = new Set([
      field.meaning,
      inShort.meaning === field.meaning ? '' : `In \`tool\`: ${inShort.meaning.replace(/^Default:/, 'default')}`,
      defaultOf(field.name),
    ]);
    return [code(field.name), code(field.type), needed, [...meanings].filter(Boolean).join(' ')];
  });
  return {
    slug: 'reference/tool-fields',
    title: 'Fields of a tool',
    description: 'All that a tool of your own may say of itself, and all that its function gets: defineTool, tool, and the context.',
    body: `${intro}

${tableOf(['field', 'type', 'needed', 'meaning'], contract)}

### Retries

\`retry: { network: { times: 2, baseMs: 200 } }\` has a rule for each kind of failure that is tried again.

${fieldTable(types.fieldsOf('OwnRetryRule'))}

The kinds, and the code that the caller gets once the retries are used up:

${tableOf(
  ['kind', 'code'],
  Object.entries(failureCode).map(([kind, name]) => [code(kind), code(name)]),
)}

\`network\`: the other side cannot be reached. \`timeout\`: no answer in time. \`rate-limit\`: it asks to call later. \`service\`: it answered with an error of its own.
\`internal\`: a fault of the tool, which is never tried again. \`throw new Failure('network', '…')\` says the kind; errors of \`fetch\` and of Node have theirs.
The third argument of \`Failure\` is an object:

${fieldTable(types.fieldsOf('FailureOptions'))}

### Cache

${fieldTable(types.fieldsOf('OwnCacheRule'))}

### Examples

${fieldTable(types.fieldsOf('ToolExample'))}

### Errors

\`errors: { SOLD_OUT: 'CONFLICT' }\` names what the tool may refuse with. Your literal is answered as \`native_code\`, the [code](/docs/reference/errors/) decides the HTTP status. A
code is one of ${Object.keys(errorCodes).map(code).join(', ')}.

### Secret and personal fields

${tableOf(
  ['mark', 'meaning'],
  ['secret', 'sensitive'].map((name) => [code(`${name}(z.string())`), types.meaningOf(name)]),
)}

### Domains

A domain is a queue of its own with a plain name, such as \`sales\`. In a contract it may be written \`own-sales\`, which is the same: the gateway puts \`own-\` before the domains of
tenants, so that none of them can take the name of a domain of Invoq.

### Files

An own tool answers JSON, at most 8 MiB of it. For a file, answer its address, or its bytes as Base64 where they are few. A file that a caller sends comes as a parameter of the input.

## The context

The second argument of the function: \`async (input, { progress, signal }) => …\`. Of \`caller\` a worker gets \`tenantId\`, \`userId\` (null for a key of the tenant itself) and \`tier\`.

${tableOf(
  ['field', 'type', 'meaning'],
  [...types.fieldsOf('OwnToolContext'), ...types.fieldsOf('RefuseWith')].map((field) => [
    code(field.name),
    code(field.type),
    field.meaning,
  ]),
)}

## The worker

\`serve({ tools, url, key, domain })\` takes these. \`invoq dev\` and \`serveFolder\` set most of them themselves.

${fieldTable(types.fieldsOf('ServeOptions'))}`,
  };
}

const intro = `A tool of your own is written with the [worker library](/docs/reference/worker-library/) in TypeScript, or in any language by the
[protocol of workers](/docs/reference/worker-protocol/), whose contracts have the same fields in snake_case. [Your own tool](/docs/tutorials/your-own-tool/) is the way in.

## The contract

\`defineTool\` takes all of these, \`tool\` has defaults for most.`;

/** What `tool` says itself of a field that is left out. Of some, the comments of `tool` say it. */
function defaultOf(name: string): string {
  const { contract } = tool({ description: 'Nothing', input: z.object({}) }, () => ({}));
  const given = new Map<string, unknown>(Object.entries({ ...contract, domain: contract.domain.replace(/^own-/, '') }));
  for (const said of ['description', 'input', 'output', 'name', 'title', 'errors']) given.delete(said);
  return given.has(name) ? `In \`tool\`: default ${code(JSON.stringify(given.get(name)))}.` : '';
}

function fieldTable(fields: readonly InterfaceField[]): string {
  return tableOf(
    ['field', 'type', 'needed', 'meaning'],
    fields.map((field) => [code(field.name), code(field.type), field.isOptional ? '' : 'yes', field.meaning]),
  );
}
