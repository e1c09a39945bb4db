import { tools } from '#lib/contracts';
import { createDatabase, settingsOrExit } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { profileSettings } from './config.js';
import { profilesIn } from './profiles.js';
import * as handlers from './tools/index.js';

const settings = settingsOrExit(profileSettings);

await startWorker({
  domain: 'profile',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: () => {
    const database = createDatabase({ url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL, name: 'profile-worker' });
    return {
      questions: database,
      services: { profiles: profilesIn(database), bmiStandard: settings.BMI_STANDARD },
      checks: { postgres: () => database.$queryRaw`SELECT 1` },
      close: () => database.$disconnect(),
    };
  },
});
