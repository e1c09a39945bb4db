import type { SqlPool } from '#lib/retrieval';
import type { FairSlots } from '#lib/sandbox';

interface Turns {
  readonly turns: Pick<FairSlots, 'acquire'>;
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** The pool as one import sees it. Its transactions first wait for a turn of its tenant, and only then take a connection. */
export function poolInTurn(pool: SqlPool, { turns, tenant, signal }: Turns): SqlPool {
  return {
    query: (text, values) => pool.query(text, values),
    connect: async () => {
      const turn = await turns.acquire(tenant, signal);
      try {
        const client = await pool.connect();
        return {
          query: (text, values) => client.query(text, values),
          release: (error) => {
            client.release(error);
            turn[Symbol.dispose]();
          },
        };
      } catch (error) {
        turn[Symbol.dispose]();
        throw error;
      }
    },
  };
}
