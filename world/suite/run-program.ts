import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Broken } from '#lib/testing';
import { worldFolder } from './packages.js';

const withinMs = 150_000;
const mostPrinted = 64 * 1024 * 1024;

/** Runs a program of world/packages/programs on a task. Gives what it printed; throws Broken when it fails. */
export function runProgram(program: string, task: object): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], WORLD_TASK: JSON.stringify(task), OPENAI_API_KEY: 'none' };
  const options = { cwd: worldFolder, env, timeout: withinMs, maxBuffer: mostPrinted };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(worldFolder, 'programs', program)], options, (error, stdout, stderr) => {
      if (error) reject(new Broken(`${program} failed: ${`${stdout}${stderr}`.slice(-900)}`));
      else resolve(`${stdout}${stderr}`);
    });
  });
}
