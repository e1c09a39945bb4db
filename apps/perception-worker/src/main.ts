import { z } from 'zod';
import { tools } from '#lib/contracts';
import { FileLinks, Files, fileSettings, openDisk } from '#lib/files';
import { createDatabase, settingsOrExit, workerSettings } from '#lib/platform';
import { startWorker } from '#lib/worker';
import { Renderer } from './report/renderer.js';
import type { PerceptionServices } from './services.js';
import { startExpirySweep } from './expiry-sweep.js';
import * as handlers from './tools/index.js';
import { outsideHandler } from './upstreams/outside-handler.js';
import { openUpstreams, upstreamSettings } from './upstreams/open-upstreams.js';
import type { UpstreamServices } from './upstreams/services.js';
import { OpenMeteo } from './weather/open-meteo.js';

const settings = settingsOrExit({
  ...workerSettings,
  ...fileSettings,
  ...upstreamSettings,
  /** A server of Open-Meteo's protocol. Its public service keeps each part on a host of its own, which follow from this one. */
  WEATHER_API_BASE: z.url().default('https://api.open-meteo.com'),
  /** Of a paid plan. */
  WEATHER_API_KEY: z.string().optional(),
  /** Where callers reach the gateway: links to files begin with it. */
  PUBLIC_URL: z.url().default('http://127.0.0.1:3000'),
  /** How long a signed link holds. */
  FILES_LINK_MINUTES: z.coerce.number().min(0.01).max(10_080).default(60),
  /** How long a file is kept. */
  FILES_KEEP_HOURS: z.coerce.number().min(0.01).max(8_760).default(24),
  /** Whether reports are read through signed links or by whoever has the address. */
  REPORT_VISIBILITY: z.enum(['private', 'public']).default('private'),
});

const disk = await openDisk(settings);
const hourMs = 3_600_000;

await startWorker<PerceptionServices & UpstreamServices>({
  domain: 'perception',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: (log) => {
    const database = createDatabase({ url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL, name: 'perception-worker' });
    const files = new Files(database, disk);
    const links = new FileLinks(settings.SEALING_KEYS);
    const sweeping = startExpirySweep(files, log);
    const { close, ...outside } = openUpstreams(settings, { database, log });
    return {
      services: {
        weather: new OpenMeteo(settings.WEATHER_API_BASE, settings.WEATHER_API_KEY),
        // dist/apps/perception-worker/src → the folder that holds dist.
        reports: new Renderer({ root: new URL('../../../..', import.meta.url).pathname }),
        reportFiles: {
          files,
          linkTo: (file) =>
            links.linkTo(file, { publicUrl: settings.PUBLIC_URL, ttlMs: settings.FILES_LINK_MINUTES * 60_000, now: Date.now() }),
          visibility: settings.REPORT_VISIBILITY,
          keepMs: settings.FILES_KEEP_HOURS * hourMs,
        },
        ...outside,
      },
      checks: { postgres: () => database.$queryRaw`SELECT 1` },
      outside: { load: () => database.mcpServer.findMany({ orderBy: { name: 'asc' } }), handlerOf: outsideHandler },
      close: async () => {
        sweeping.stop();
        await close();
        await database.$disconnect();
      },
    };
  },
});
