// `npm run worker-conformance -- -- <command…>`: runs a worker in any language through the cases of docs/worker-protocol.md.
import { CommandError, print, runScript } from '#lib/command-line';
import { startStores } from '../../scripts/provision/private-stores.js';
import { startBench } from './bench.js';
import { cases } from './cases.js';
import { runCases } from './run-cases.js';

const usage = `Runs a worker through the cases of docs/worker-protocol.md.

  npm run worker-conformance -- [--only cancel,drain] -- python3 worker.py

The command is given INVOQ_URL and INVOQ_API_KEY, and serves the domain "conformance" as that page says.

Cases: ${cases.map(({ id }) => id).join(' ')}`;

await runScript(async () => {
  const args = process.argv.slice(2);
  const options = args[0] === '--only' ? args.splice(0, 2) : [];
  if (args[0] === '--') args.shift();
  if (args.length === 0) throw new CommandError(`name the command of a worker\n\n${usage}`);
  const only = options[1]?.split(',') ?? cases.map(({ id }) => id);
  const unknown = only.find((id) => cases.every((one) => one.id !== id));
  if (unknown !== undefined) throw new CommandError(`there is no case ${unknown}\n\n${usage}`);
  await using stores = await startStores();
  await using bench = await startBench(args, stores);
  const failed = await runCases(bench, only);
  print(failed.length === 0 ? `All ${only.length} cases held.` : `${failed.length} of ${only.length} cases failed.`);
  return failed.length === 0 ? 0 : 1;
}, usage);
