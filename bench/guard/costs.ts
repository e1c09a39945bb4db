import type { Cells } from '../report/cells.js';

/**
 * What a call costs, in figures that a busy or slow machine changes little: commands of Redis, and processor time by process as a share
 * of what a whole call of raw BullMQ took in the same rounds, its client, Redis and worker together.
 */
export function costsOf(
  cells: Cells,
  {
    callers,
    commands,
    bytes,
  }: { readonly callers: number; readonly commands: Readonly<Record<'uncached' | 'cached', number>>; readonly bytes: number },
): Readonly<Record<string, number>> {
  const raw = [...cells.cpu('bullmq', callers).values()].reduce((sum, ms) => sum + ms, 0);
  const share = (subject: 'uncached' | 'cached', process: string): number => (cells.cpu(subject, callers).get(process) ?? Number.NaN) / raw;
  return {
    'Redis commands, computed': commands.uncached,
    'Redis commands, cached': commands.cached,
    'bytes into Redis, computed': bytes,
    'gateway, computed, of a raw BullMQ call': share('uncached', 'gateway'),
    'worker, computed, of a raw BullMQ call': share('uncached', 'profile-worker'),
    'Redis, computed, of a raw BullMQ call': share('uncached', 'redis'),
    'gateway, cached, of a raw BullMQ call': share('cached', 'gateway'),
  };
}
