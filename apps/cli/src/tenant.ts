import { UsageError } from '#lib/command-line';
import { tenantIdSchema } from '#lib/contracts';

/** The tenant of `--tenant`; that of the demo data when it is not given. Throws UsageError. */
export function tenantOf(given = 'demo'): string {
  const parsed = tenantIdSchema.safeParse(given);
  if (!parsed.success) throw new UsageError(`--tenant ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}
