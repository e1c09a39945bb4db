import { importProfiles } from '#lib/contracts';
import { handle } from '../services.js';

export const handleImportProfiles = handle(importProfiles, async ({ profiles: rows, dry_run }, { profiles, caller, network, error }) => {
  const users = new Map<string, number>();
  for (const [index, { user_id, last_updated }] of rows.entries()) {
    const first = users.get(user_id);
    if (first !== undefined) throw error('USER_REPEATED', `profiles[${index}].user_id: the same user is in profiles[${first}] already`);
    users.set(user_id, index);
    if (last_updated !== undefined && !isYearInRange(new Date(last_updated)))
      throw error('TIME_OUT_OF_RANGE', `profiles[${index}].last_updated must lie in the years 1900 to 9999`);
  }
  // Postgres refuses some offsets that ISO 8601 allows, so times are kept in UTC.
  const inUtc = rows.map(({ last_updated: at, ...row }) => ({
    ...row,
    ...(at !== undefined && { last_updated: new Date(at).toISOString() }),
  }));
  const { added, changed } = await network(() => profiles.put(caller.tenantId, inUtc, { isDryRun: dry_run }));
  return { added, changed, unchanged: rows.length - added - changed };
});

function isYearInRange(date: Date): boolean {
  return date.getUTCFullYear() >= 1900 && date.getUTCFullYear() <= 9999;
}
