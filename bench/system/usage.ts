// Processor time and memory of processes, from /proc. On other systems than Linux there are no figures.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Ticks of /proc/<pid>/stat: 100 a second on every Linux that Node runs on. */
const msPerTick = 10;

/** Processor time since the start, user and system, in ms; null when it cannot be known. */
export function cpuMsOf(pid: number): number | null {
  const stat = readProc(`${pid}/stat`);
  // The name in parentheses may hold anything; fields are counted from behind it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) * msPerTick : null;
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

function readProc(file: string): string | null {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return null;
  }
}
