import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const tickMs = 10;

interface Counted {
  readonly parent: number;
  readonly ms: number;
}

/** The time of processors that the processes took which this one has started, and which run. */
export function childrenMs(pid: number | undefined): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.reduce((sum, name) => {
    const counted = countedOf(Number(name));
    return counted?.parent === pid ? sum + (counted?.ms ?? 0) : sum;
  }, 0);
}

/** Null for a process that has ended. */
function countedOf(pid: number): Counted | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in brackets and may contain anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, ms: ((fields[11] ?? 0) + (fields[12] ?? 0)) * tickMs };
  } catch {
    return null;
  }
}
