import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { callerFolder, exitCodes, root } from '#lib/command-line';
import { defineCommand } from '../command.js';

export const runTests = defineCommand({
  positionals: ['[file]…'],
  options: {
    watch: { type: 'boolean', help: 'run them again after each change' },
    name: { type: 'string', value: '<pattern>', help: 'only the tests whose names fit this regular expression' },
  },
  notes: 'Runs node --test in this folder, on Node 24, which runs TypeScript. Without a file it runs all that are named *.test.ts.',
  async run({ values: { watch, name }, positionals: files }) {
    const options = [...(watch ? ['--watch'] : []), ...(name === undefined ? [] : [`--test-name-pattern=${name}`])];
    const hook = pathToFileURL(join(root, 'dist/scripts/own-tools/resolve-hook.js')).href;
    const tests = spawn(process.execPath, ['--import', hook, '--test', ...options, '--', ...files], {
      cwd: callerFolder(),
      stdio: 'inherit',
    });
    const [code] = await once(tests, 'exit');
    return typeof code === 'number' ? code : exitCodes.failed;
  },
});
