import { z } from 'zod';
import { tools } from '#lib/contracts';
import { createDatabase, settingsOrExit, workerSettings } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { profilesIn } from './profiles.js';
import * as handlers from './tools/index.js';

const settings = settingsOrExit({
  ...workerSettings,
  /** Which cut-offs decide the BMI category: those of the WHO or the Chinese ones of WS/T 428. */
  BMI_STANDARD: z.enum(['who', 'cn']).default('who'),
});

await startWorker({
  domain: 'profile',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: () => {
    const database = createDatabase({ url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL, name: 'profile-worker' });
    return {
      services: { profiles: profilesIn(database), bmiStandard: settings.BMI_STANDARD },
      checks: { postgres: () => database.$queryRaw`SELECT 1` },
      close: () => database.$disconnect(),
    };
  },
});
