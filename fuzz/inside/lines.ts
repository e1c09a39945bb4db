import { z } from 'zod';

/** What the measurements inside a process write to its log. */
export const insideLine = z.discriminatedUnion('event', [
  /** The event loop took nothing else for `wall_ms`. With little `cpu_ms` the processor was given to others: no fault of this process. */
  z.object({ event: z.literal('fuzz-stall'), wall_ms: z.number(), cpu_ms: z.number(), at: z.number() }),
  z.object({ event: z.literal('fuzz-memory'), rss: z.number(), heap: z.number(), external: z.number(), at: z.number() }),
  /** Something wrote to `Object.prototype`. */
  z.object({ event: z.literal('fuzz-polluted'), keys: z.array(z.string()), at: z.number() }),
]);
export type InsideLine = z.infer<typeof insideLine>;
