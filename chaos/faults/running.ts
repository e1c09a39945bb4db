import { eventually } from '#lib/testing';
import type { Ledger } from '../../test/lab/ledger-server.js';
import type { CallLog } from '../history/call-log.js';

const enough = 0.8;

/** Waits until workers run most of a burst's calls. Gives how many they run that have not ended. */
export async function untilRunning(burst: readonly CallLog[], ledger: Ledger): Promise<number> {
  await eventually(() => burst.filter((log) => hasBegun(log, ledger)).length >= enough * burst.length, {
    withinMs: 30_000,
    what: `${enough * burst.length} calls running`,
  });
  return runningOf(burst, ledger);
}

/** How many of these calls workers run now. */
export function runningOf(calls: readonly CallLog[], ledger: Ledger): number {
  return calls.filter((log) => log.endedAt === null && hasBegun(log, ledger)).length;
}

function hasBegun({ id }: CallLog, ledger: Ledger): boolean {
  return ledger.of(id).calls.length + ledger.of(id).notes.length > 0;
}
