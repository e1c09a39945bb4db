/** Queue settings that both plain BullMQ processes of the bench share. */
export const bullQueue = 'bench-plain';

/** As BullMQ's documentation gives a connection: it makes its own from the address. */
export function redisAddress(url: string): { host: string; port: number; maxRetriesPerRequest: null } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
}
