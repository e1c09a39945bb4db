import { storedServers } from '#lib/transport';
import { tools } from '#lib/contracts';
import { FileLinks, Files, KeptFiles, openDisk } from '#lib/files';
import { createDatabase } from '#lib/platform';
import type { WorkerDefinition } from '#lib/worker';
import type { PerceptionSettings } from './config.js';
import { Renderer } from './report/renderer.js';
import type { PerceptionServices } from './services.js';
import * as handlers from './tools/index.js';
import { outsideHandler } from './upstreams/outside-handler.js';
import { openUpstreams } from './upstreams/open-upstreams.js';
import type { UpstreamServices } from './upstreams/services.js';
import { OpenMeteo } from './weather/open-meteo.js';

/** The worker of the domain `perception`. @param root the folder that holds `dist` and `node_modules` */
export function perceptionWorker(settings: PerceptionSettings, root: string): WorkerDefinition<PerceptionServices & UpstreamServices> {
  return {
    domain: 'perception',
    publicUrl: settings.PUBLIC_URL,
    settings,
    contracts: tools,
    handlers: Object.values(handlers),
    open: (log) => {
      const database = createDatabase({ url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL, name: 'perception-worker' });
      const kept = new KeptFiles({
        files: new Files(database, () => openDisk(settings)),
        links: new FileLinks(settings.SEALING_KEYS),
        publicUrl: settings.PUBLIC_URL,
        linkMs: settings.FILES_LINK_MINUTES * 60_000,
        keepMs: settings.FILES_KEEP_HOURS * 3_600_000,
      });
      const reports = new Renderer(root);
      const { close, ...outside } = openUpstreams(settings, { database, log, root });
      return {
        questions: database,
        accounts: database,
        services: {
          weather: new OpenMeteo(settings.WEATHER_API_BASE, settings.WEATHER_API_KEY),
          reports,
          reportFiles: { keep: async (caller, file) => kept.keep(caller, file), visibility: settings.REPORT_VISIBILITY },
          ...outside,
        },
        checks: { postgres: () => database.$queryRaw`SELECT 1` },
        outside: { load: () => storedServers(database), handlerOf: outsideHandler },
        close: async () => {
          reports.close();
          await close();
          await database.$disconnect();
        },
      };
    },
  };
}
