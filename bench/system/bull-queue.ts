/** What the plain BullMQ side of the bench agrees on. */
export const bullQueue = 'bench-plain';

/** As BullMQ's documentation gives a connection: it makes its own from the address. */
export function redisAddress(url: string): { host: string; port: number; maxRetriesPerRequest: null } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}
