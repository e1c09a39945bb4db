import { z } from 'zod';
import { tools } from '#lib/contracts';
import { createDatabase, settingsOrExit, workerSettings } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { profilesIn } from '../../apps/profile-worker/src/profiles.js';
import * as profileHandlers from '../../apps/profile-worker/src/tools/index.js';
import { labTools } from './contracts/index.js';
import { labHandlers } from './handlers/index.js';
import { ledgerAt } from './ledger-client.js';

const settings = settingsOrExit({ ...workerSettings, LEDGER_URL: z.url() });

await startWorker({
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
});
