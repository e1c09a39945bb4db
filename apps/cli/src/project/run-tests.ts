import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { callerFolder, exitCodes } from '#lib/command-line';
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
    const tests = spawn(process.execPath, ['--test', ...options, '--', ...files], { cwd: callerFolder(), stdio: 'inherit' });
    const [code] = await once(tests, 'exit');
    return typeof code === 'number' ? code : exitCodes.failed;
  },
});
