import type { Schedule } from '#lib/client';
import { formatMs } from '../../language/format.js';

/** When a schedule calls, in short. */
export function whenOf({ cron, every_ms }: Pick<Schedule, 'cron' | 'every_ms'>, every: (time: string) => string): string {
  return cron ?? every(formatMs(every_ms ?? 0));
}
