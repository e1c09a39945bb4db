import { eventually } from '#lib/testing';
import type { Ledger } from '../../test/lab/ledger-server.js';
import type { CallLog } from '../history/call-log.js';

const enough = 0.8;

/** Waits until workers run most of a burst's calls. Gives how many they run that have not ended. */
export async function untilRunning(burst: readonly CallLog[], ledger: Ledger): Promise<number> {
  const hasBegun = ({ id }: CallLog): boolean => ledger.of(id).calls.length + ledger.of(id).notes.length > 0;
  await eventually(() => burst.filter(hasBegun).length >= enough * burst.length, {
    withinMs: 30_000,
    what: `${enough * burst.length} calls running`,
  });
  return burst.filter((log) => hasBegun(log) && log.endedAt === null).length;
}
