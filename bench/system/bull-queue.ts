/** Queues of plain BullMQ, and the jobs that their workers run at once: with many callers few are quicker, with few callers many. */
export const bullQueues = { bullmq: { name: 'bench-plain', places: 64 }, bullmqFew: { name: 'bench-plain-few', places: 8 } } as const;

export type BullQueue = (typeof bullQueues)[keyof typeof bullQueues];

/** As BullMQ's documentation gives a connection: it makes its own from the address. */
export function redisAddress(url: string): { host: string; port: number; maxRetriesPerRequest: null } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}
