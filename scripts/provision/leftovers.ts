// Processes that outlived a supervisor which was killed. Only those that carry our data folder's name in their environment, or
// work in it, are touched: a pid alone may by now belong to anyone.
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { print } from '#lib/command-line';

const stopWithinMs = 15_000;
const processList = z.array(z.object({ name: z.string(), pid: z.int() }));

/** Ends what is left of the processes that an earlier run wrote down. */
export async function endLeftovers(written: unknown, dataDir: string): Promise<void> {
  const { data = [] } = processList.safeParse(written);
  const ours = data.filter(({ pid }) => isOurs(pid, dataDir));
  await Promise.all(ours.map(({ name, pid }) => end(name, pid)));
}

async function end(name: string, pid: number): Promise<void> {
  // Most leave by themselves when they notice that their parent is gone.
  for (const [signal, waitMs] of [
    ['SIGCONT', 1_000],
    ['SIGTERM', stopWithinMs],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await isGone(pid, waitMs)) {
      print(`  ended ${name} (pid ${pid}), left over from an earlier run`);
      return;
    }
  }
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(50)) {
    if (!isAlive(pid)) return true;
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether a pid is that of a running start; it has no mark of its own, being what sets it. */
export function isSupervisor(pid: number): boolean {
  return isAlive(pid) && /dist\/scripts\/(start|dev)\.js/.test(commandOf(pid));
}

/** Whether a process was started for this data folder. */
function isOurs(pid: number, dataDir: string): boolean {
  if (process.platform === 'linux') {
    // Redis overwrites its environment with its title, so it is known by its folder.
    return (
      readProc(pid, 'environ').split('\0').includes(`INVOQ_DATA_DIR=${dataDir}`) ||
      workingFolder(pid).startsWith(`${realpathSync(dataDir)}/`)
    );
  }
  return /redis-server|valkey-server|dist\/(apps|scripts)\//.test(commandOf(pid));
}

function commandOf(pid: number): string {
  if (process.platform === 'linux') return readProc(pid, 'cmdline').replaceAll('\0', ' ');
  return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout ?? '';
}

/** An ended process whose parent has not looked yet still has a pid. */
function isZombie(pid: number): boolean {
  return process.platform === 'linux' && /^\d+ \(.*\) Z/s.test(readProc(pid, 'stat'));
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
