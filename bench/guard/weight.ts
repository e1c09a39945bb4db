// `npm run bench -- --weight`: what a start, the product at rest and a command of `invoq` take, beside the committed figures.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root, step } from '#lib/command-line';
import { DataDir } from '../../scripts/provision/data-dir.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { endedCpuMs, treeCpuMs, treeMemoryMb } from '../system/usage.js';

const commandRuns = 5;
const exampleCall = [
  'calc_metrics',
  '--height_cm',
  '175',
  '--weight_kg',
  '70',
  '--age',
  '30',
  '--gender',
  'male',
  '--activity_level',
  'moderate',
];
const firstPort = 3_400;
const startWithinMs = 90_000;
/** Its processes collect the garbage of their start two seconds after it, and give memory back in the seconds after. */
const restMs = 20_000;

/**
 * Processor time is that of bare Nodes that start and end, in the same minute: so a slow or busy machine changes it little.
 * Memory is what all processes have together, without npm's own.
 */
export async function weigh(signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
  await using owner = new AsyncDisposableStack();
  const node = await step('A bare Node', () => cpuOf(['--eval', '0'], {}, signal));
  const help = await step('invoq --help', () => cpuOf(['bin/invoq.mjs', '--help'], {}, signal));
  const { pid, env } = await step('npm start, in a new folder', () => startProduct(owner, signal));
  const started = (treeCpuMs(pid) ?? Number.NaN) / node;
  const call = await step('invoq call', () => cpuOf(['bin/invoq.mjs', 'call', ...exampleCall], env, signal));
  await step('The product at rest', () => pause(restMs, undefined, { signal }));
  return {
    'start of the product, in starts of Node': started,
    'invoq --help, in starts of Node': help / node,
    'invoq call, in starts of Node': call / node,
    'the product at rest, MB': treeMemoryMb(pid) ?? Number.NaN,
  };
}

interface Started {
  readonly pid: number;
  /** What commands need to reach it. */
  readonly env: NodeJS.ProcessEnv;
}

async function startProduct(owner: AsyncDisposableStack, signal: AbortSignal): Promise<Started> {
  const folder = owner.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-weight-')));
  const env = { ...process.env, INVOQ_DATA_DIR: folder.path, PORT: String(await pickPort(firstPort)) };
  const child = spawn(process.execPath, ['scripts/run.mjs', 'start'], { cwd: root, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  owner.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const dataDir = new DataDir(folder.path);
  const startedAt = performance.now();
  while (dataDir.readEnv('dev.env')['INVOQ_URL'] === undefined) {
    if (child.exitCode !== null || performance.now() - startedAt > startWithinMs) throw new Error('npm start did not come up');
    await pause(20, undefined, { signal });
  }
  return { pid: child.pid ?? 0, env };
}

/** The mean of some runs, each of which ends well, in ms. */
async function cpuOf(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= commandRuns; run++) {
    signal.throwIfAborted();
    const before = endedCpuMs() ?? Number.NaN;
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
    // The first fills the caches of compiled code.
    if (run > 0) times.push((endedCpuMs() ?? Number.NaN) - before);
  }
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}
