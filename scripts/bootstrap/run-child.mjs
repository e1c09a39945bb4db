// Runs a program in place of this process: with its terminal, its signals and its exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** This process only waits now: what installing and building left in its heap is given back. */
function releaseMemory() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** @param env beside the environment of this process */
export function runChild(node, args, env) {
  // The IPC channel tells the child when this process is gone, however it ended.
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter), ...env },
  });
  releaseMemory();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) whenNpmEnds(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`error: ${node} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** npm and its shell end at SIGTERM without telling what they have started. It is then adopted by another process. */
function whenNpmEnds(act) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 250);
  watch.unref();
}
