import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, exitCodes, root } from '#lib/command-line';
import type { Command } from './command.js';

/** An evaluation lives beside the benchmarks and reads its own options, `--help` among them: all arguments are handed over. */
export function evaluationOf(subject: 'knowledge' | 'agent'): Command {
  return {
    usage: '[options]',
    help: '',
    isHelpRequest: () => false,
    async run(args) {
      const script = join(root, `dist/bench/${subject}/eval/main.js`);
      if (!existsSync(script)) throw new CommandError(`${script} is not there: evaluations run from a clone of the repository`);
      const child = spawn(process.execPath, ['--enable-source-maps', script, ...args], { stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      return typeof code === 'number' ? code : exitCodes.interrupted;
    },
  };
}
