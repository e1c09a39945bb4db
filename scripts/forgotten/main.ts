// Tells what a new tool or domain still needs. Exit code 1 if anything is missing.
import { printError, root, runScript } from '#lib/command-line';
import { forgottenSteps } from './forgotten-steps.js';

await runScript(async () => {
  const steps = forgottenSteps(root);
  for (const { file, line, message } of steps) printError(`${file}:${line}: ${message}`);
  return steps.length > 0 ? 1 : 0;
});
