import { until } from './until.js';

/** Waits until so many invocations are in flight, and tells how many. */
export async function untilInFlight(wanted: number, inFlight: () => Promise<number>): Promise<number> {
  let count = 0;
  const enough = async (): Promise<boolean> => {
    count = await inFlight();
    return count >= wanted;
  };
  await until(enough, { withinMs: 10_000, what: `${wanted} invocations in flight` });
  return count;
}
