import { readFileSync } from 'node:fs';

interface Usage {
  /** The id of the process that has started it. */
  readonly parent: number;
  /** Time on processors, of all its threads. */
  readonly processorMs: number;
  /** Memory that it holds. Buffers count here, which are outside of V8's heap and its limit. */
  readonly memoryMb: number;
}

/** Linux counts the time in hundredths of a second, and memory in pages. */
const tickMs = 10;
const pagesPerMb = 256;

/** What a process uses; null if it has ended, and on systems that have no such file: there, only time and heap limit it. */
export function usageOf(pid: number | undefined): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in brackets and may contain anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, pages = 0] = [fields[1], fields[11], fields[12], fields[21]];
    return { parent, processorMs: (user + system) * tickMs, memoryMb: pages / pagesPerMb };
  } catch {
    return null;
  }
}
