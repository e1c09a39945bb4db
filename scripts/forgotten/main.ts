// Tells what a new tool or domain still needs. Exit code 1 if anything is missing.
import { printError, root, runScript } from '#lib/command-line';
import { staleWorkerRows } from '../derived/worker-rows.js';
import { forgottenSteps } from './forgotten-steps.js';

await runScript(async () => {
  const steps = forgottenSteps(root);
  for (const { file, line, message } of steps) printError(`${file}:${line}: ${message}`);
  const stale = [...staleWorkerRows(root).keys()];
  for (const file of stale) printError(`${file}:1: the rows of workers are not those of their domains: run \`npm run format\``);
  return steps.length + stale.length > 0 ? 1 : 0;
});
