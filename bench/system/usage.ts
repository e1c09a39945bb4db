// Processor time and memory of processes, from /proc. On other systems than Linux there are no figures.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Ticks of /proc/<pid>/stat: 100 a second on every Linux that Node runs on. */
const msPerTick = 10;

/** Processor time since the start, user and system, in ms; null when it cannot be known. */
export function cpuMsOf(pid: number): number | null {
  const fields = fieldsOf(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Processor time of the processes that this one started and that have ended, with those that they started, in ms. */
export function endedCpuMs(): number | null {
  const fields = fieldsOf(process.pid);
  return fields && (Number(fields[13]) + Number(fields[14])) * msPerTick;
}

/** Processor time of a process and of those that it started, whether they run or have ended, in ms. */
export function treeCpuMs(pid: number): number | null {
  const times = treeOf(pid).map((one) => fieldsOf(one)?.slice(11, 15) ?? []);
  const ticks = times.flat().reduce((sum, field) => sum + Number(field), 0);
  return ticks === 0 ? null : ticks * msPerTick;
}

/** Memory of a process and of those that it started, in MB: what several share counts once. */
export function treeMemoryMb(pid: number): number | null {
  const kb = treeOf(pid).map((one) => Number(/^Pss:\s+(\d+)/m.exec(readProc(`${one}/smaps_rollup`) ?? '')?.[1] ?? 0));
  const sum = kb.reduce((all, one) => all + one, 0);
  return sum === 0 ? null : sum / 1_024;
}

function treeOf(pid: number): readonly number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const fields = /^\d+$/.test(name) ? fieldsOf(Number(name)) : null;
    return fields ? [{ pid: Number(name), parent: Number(fields[1]) }] : [];
  });
  const tree = [pid];
  // Those that are found are looked at in turn.
  for (const known of tree) tree.push(...parents.filter(({ parent }) => parent === known).map((child) => child.pid));
  return tree;
}

/** Resident memory in MB. */
export function rssMbOf(pid: number): number | null {
  const kb = /^VmRSS:\s+(\d+)/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kb === undefined ? null : Number(kb) / 1_024;
}

/** Processor time of the whole machine in ms, of all programs. */
export function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Those of /proc/<pid>/stat from the state on. The name in parentheses before it may hold anything. */
function fieldsOf(pid: number): readonly string[] | null {
  const stat = readProc(`${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(file: string): string | null {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return null;
  }
}
