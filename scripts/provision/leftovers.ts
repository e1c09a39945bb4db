// Ends processes that outlived a supervisor that was killed. Only those with our data folder in their environment, or working in it,
// are ended: a pid alone may belong to another program by now.
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { print } from '#lib/command-line';

const stopWithinMs = 15_000;
const processList = z.array(z.object({ name: z.string(), pid: z.int() }));

/** Ends those of the recorded processes that still run. @param written the record, as it was read */
export async function endLeftovers(written: unknown, dataDir: string): Promise<void> {
  const { data = [] } = processList.safeParse(written);
  const ours = data.filter(({ pid }) => belongsTo(pid, dataDir));
  await Promise.all(ours.map(({ name, pid }) => end(name, pid)));
}

async function end(name: string, pid: number): Promise<void> {
  // Most exit when they notice that their parent is gone.
  for (const [signal, waitMs] of [
    ['SIGCONT', 1_000],
    ['SIGTERM', stopWithinMs],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await hasEnded(pid, waitMs)) {
      print(`  ended ${name} (pid ${pid}), left over from an earlier run`);
      return;
    }
  }
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(50)) {
    if (!isAlive(pid)) return true;
  }
  return false;
}

/** Whether a process has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether a pid is that of a running `npm start`, `npm run dev` or `invoq dev`, by its command: it does not carry the mark that it sets. */
export function isSupervisor(pid: number): boolean {
  return isAlive(pid) && /dist\/(scripts\/(start|dev)\.js|apps\/cli\/src\/main\.js dev\b)/.test(commandOf(pid));
}

/** Whether a process was started for this data folder. */
function belongsTo(pid: number, dataDir: string): boolean {
  if (process.platform === 'linux') {
    // Redis overwrites its environment with its title, so it is recognised by its folder.
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

/** A process that has ended keeps its pid until its parent has read its exit code. */
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
