import { eventually } from '#lib/testing';
import type { Ledger } from '../../test/lab/ledger-server.js';
import type { CallLog } from '../history/call-log.js';

const enough = 0.8;

/** Waits until most of a volley's calls are in a worker's hands; tells how many are, and have not ended. */
export async function untilRunning(volley: readonly CallLog[], ledger: Ledger): Promise<number> {
  const hasBegun = ({ id }: CallLog): boolean => ledger.of(id).calls.length + ledger.of(id).notes.length > 0;
  await eventually(() => volley.filter(hasBegun).length >= enough * volley.length, {
    withinMs: 15_000,
    what: `${enough * volley.length} calls running`,
  });
  return volley.filter((log) => hasBegun(log) && log.endedAt === null).length;
}
