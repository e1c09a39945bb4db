// The product on this machine: what `npm start` and `npm stop` run in a clone, from whatever place it is installed in.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, root, startCommand, useSetting } from '#lib/command-line';
import { domains as productDomains } from '#lib/contracts';
import { defineCommand } from './command.js';

export const dev = defineCommand({
  options: {
    domains: { type: 'string', value: '<names>', help: 'the tools of these domains of Invoq, such as profile,memotree' },
    demo: { type: 'boolean', help: 'all tools of Invoq, also beside tools of your own' },
    tools: {
      type: 'string',
      value: '<folder>',
      help: 'with tools of your own, and these alone (default: tools, where there is such a folder)',
    },
    port: { type: 'string', value: '<number>', help: 'of the gateway (default: 3000)' },
  },
  notes: `Starts a private Redis and an embedded Postgres where REDIS_URL and DATABASE_URL name none, with demo data, until Ctrl-C.
The data, the logs, and the address and keys for the other commands (dev.env) are in .data; INVOQ_DATA_DIR names another folder.
Settings come from the environment and from .env.
Where there is a folder of tools of your own, these are served alone, unless DOMAINS or an option names tools of Invoq.
Each tool that a file of the folder of tools exports is served, and served again when a file is saved. Faults are told with file and line.`,
  async run({ values: { domains, demo, tools, port } }) {
    useSetting('DOMAINS', domains ?? (demo ? Object.keys(productDomains).join(',') : undefined));
    useSetting('TOOLS_DIR', tools);
    useSetting('PORT', port);
    await runScript('start');
  },
});

export const stop = defineCommand({
  options: {},
  notes: `Stops what ${startCommand} runs on .data, or on the folder of INVOQ_DATA_DIR, in order.`,
  run: async () => runScript('stop'),
});

export const deployCheck = defineCommand({
  options: {},
  notes: `For a deployment, before its apps are started: reads the settings of all apps from the environment, as in production, and tries
the stores. Changes nothing. Exit code 1 if anything is wrong; every fault is a line.`,
  run: async () => runScript('deploy-check'),
});

/** The script ends the process with its own exit code. */
async function runScript(name: string): Promise<void> {
  const file = join(root, `dist/scripts/${name}.js`);
  if (!existsSync(file)) throw new CommandError(`${file} is not there: build it first`);
  await import(pathToFileURL(file).href);
}
