import { readdirSync } from 'node:fs';
import { usageOf } from '#lib/sandbox';

/** The time of processors that the processes took which this one has started, and which run. */
export function childrenMs(pid: number | undefined): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const uses = ids.map((id) => usageOf(Number(id)));
  return uses.reduce((sum, use) => (use?.parent === pid ? sum + (use?.processorMs ?? 0) : sum), 0);
}
