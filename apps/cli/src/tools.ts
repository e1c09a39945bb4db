import { print } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';

export const tools = defineCommand({
  options: {
    domain: { type: 'string', value: '<name>', help: 'only those of one domain, such as profile' },
    json: { type: 'boolean', help: 'the definitions as JSON' },
  },
  notes: 'invoq call <tool> --help shows the parameters of one.',
  async run({ values: { domain, json } }) {
    const definitions = await connect().tools(domain === undefined ? {} : { domain });
    if (json) return print(JSON.stringify(definitions, null, 2));
    for (const { name, version, deprecated, description } of definitions)
      print(`${name.padEnd(28)} ${version.padEnd(8)} ${deprecated ? '(deprecated) ' : ''}${firstSentence(description)}`);
  },
});

function firstSentence(description: string): string {
  return /^.*?[.。](?=\s|$)/s.exec(description)?.[0] ?? description;
}
