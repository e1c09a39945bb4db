import { z } from 'zod';
import { tools } from '#lib/contracts';
import { createDatabase, workerSettings } from '#lib/platform';
import type { WorkerDefinition } from '#lib/worker';
import { profilesIn } from '../../apps/profile-worker/src/profiles.js';
import type { ProfileServices } from '../../apps/profile-worker/src/services.js';
import * as profileHandlers from '../../apps/profile-worker/src/tools/index.js';
import { labTools } from './contracts/index.js';
import { labHandlers } from './handlers/index.js';
import { ledgerAt, type LedgerClient } from './ledger-client.js';

export const labSettings = { ...workerSettings, LEDGER_URL: z.url() } as const;

/** The worker of the domain `profile` with the lab's tools besides its own. */
export function labWorker(
  settings: z.output<z.ZodObject<typeof labSettings>>,
): WorkerDefinition<ProfileServices & { readonly ledger: LedgerClient }> {
  return {
    domain: 'profile',
    settings,
    contracts: [...tools, ...labTools],
    handlers: [...Object.values(profileHandlers), ...labHandlers],
    open: () => {
      const database = createDatabase({ url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL, name: 'lab-worker' });
      return {
        services: { profiles: profilesIn(database), bmiStandard: 'who' as const, ledger: ledgerAt(settings.LEDGER_URL) },
        checks: { postgres: () => database.$queryRaw`SELECT 1` },
        close: () => database.$disconnect(),
      };
    },
  };
}
