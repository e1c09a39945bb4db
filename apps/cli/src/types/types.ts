import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { callerFolder, CommandError, print, printError } from '#lib/command-line';
import type { ToolDefinition } from '#lib/contracts';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { commentOf, indent, propertyName, typeOfSchema } from './type-of-schema.js';

export const types = defineCommand({
  positionals: ['[file]'],
  options: { domain: { type: 'string', value: '<name>', help: 'only the tools of one domain, such as profile' } },
  notes: `The types go to the file, or to standard output. The client of the package @invoq/client takes them:

  import { Invoq } from '@invoq/client';
  import type { Tools } from './invoq-tools.js';

  const invoq = new Invoq<Tools>({ url, key });

Tools of outside servers are among them. Run it again when the tools have changed.`,
  async run({ values: { domain }, positionals: [file] }) {
    const definitions = await connect().tools(domain === undefined ? {} : { domain });
    if (definitions.length === 0) throw new CommandError(domain ? `The domain '${domain}' has no tools` : 'The gateway has no tools');
    const text = typesOf(definitions);
    if (file === undefined) return print(text.trimEnd());
    writeFileSync(resolve(callerFolder(), file), text);
    printError(`Wrote the types of ${definitions.length} tools to ${file}`);
  },
});

/** A module that exports the interface `Tools`. */
export function typesOf(definitions: readonly ToolDefinition[]): string {
  const tools = definitions.map(({ name, title, description, parameters, output_schema: output }) => {
    const sides = `input: ${typeOfSchema(parameters)};\noutput: ${typeOfSchema(output)};`;
    return `${commentOf(`${title}. ${description}`)}${propertyName(name)}: {\n${indent(sides)}\n};`;
  });
  return `// Written by \`invoq types\`: run it again instead of editing this file.

/** The tools of a gateway: what each takes and gives. */
export interface Tools {
${indent(tools.join('\n'))}
}
`;
}
