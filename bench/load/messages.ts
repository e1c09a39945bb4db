// Messages between the bench and its load processes.
import { z } from 'zod';

/** `warm-up` connects that many callers, the first time, and calls; `measure` calls with the same connections and lets them go. */
export const loadRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('warm-up'), callers: z.number(), ms: z.number() }),
  z.object({ kind: z.literal('measure'), ms: z.number() }),
]);
export type LoadRequest = z.infer<typeof loadRequest>;

export const loadReply = z.object({
  calls: z.number(),
  failures: z.number(),
  firstFailure: z.string().nullable(),
  elapsedMs: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** Answers since the connections were made that a worker of ours computed. */
  workerRuns: z.number(),
});
export type LoadReply = z.infer<typeof loadReply>;

export const target = z.object({ redisUrl: z.string(), echoUrl: z.string(), gatewayUrl: z.string(), apiKey: z.string() });
