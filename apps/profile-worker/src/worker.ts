import { tools } from '#lib/contracts';
import { createDatabase } from '#lib/platform';
import type { WorkerDefinition } from '#lib/worker';
import type { ProfileSettings } from './config.js';
import { profilesIn } from './profiles.js';
import type { ProfileServices } from './services.js';
import * as handlers from './tools/index.js';

/** The worker of the domain `profile`. */
export function profileWorker(settings: ProfileSettings): WorkerDefinition<ProfileServices> {
  return {
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
  };
}
