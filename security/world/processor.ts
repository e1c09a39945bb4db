import { readdirSync } from 'node:fs';
import { usageOf } from '#lib/sandbox';

/** The processor time in ms of each process that this one has started and that runs, by its id. */
export function childrenMs(pid: number | undefined): ReadonlyMap<number, number> {
  const ids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  return new Map(
    ids.flatMap((id) => {
      const use = usageOf(id);
      return use?.parent === pid ? [[id, use?.processorMs ?? 0]] : [];
    }),
  );
}

/** What those that run have used since then, in ms. One that took too long may have been replaced by one that has used nothing yet. */
export function usedSince(before: ReadonlyMap<number, number>, pid: number | undefined): number {
  return [...childrenMs(pid)].reduce((sum, [id, ms]) => sum + ms - (before.get(id) ?? 0), 0);
}
