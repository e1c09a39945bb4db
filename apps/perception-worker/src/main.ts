import '#telemetry';
import { z } from 'zod';
import { tools } from '#lib/contracts';
import { settingsOrExit, workerSettings } from '#lib/platform';
import { runWorker } from '#lib/worker';
import * as handlers from './tools/index.js';
import { OpenMeteo } from './weather/open-meteo.js';

const settings = settingsOrExit({
  ...workerSettings,
  /** A server of Open-Meteo's protocol. Its public service keeps each part on a host of its own, which follow from this one. */
  WEATHER_API_BASE: z.url().default('https://api.open-meteo.com'),
  /** Of a paid plan. */
  WEATHER_API_KEY: z.string().optional(),
});

await runWorker({
  domain: 'perception',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: () => ({
    services: { weather: new OpenMeteo(settings.WEATHER_API_BASE, settings.WEATHER_API_KEY) },
    checks: {},
    close: async () => undefined,
  }),
});
