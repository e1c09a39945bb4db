import { z } from 'zod';
import { keptFileSettings, workerSettings } from '#lib/platform';
import { upstreamSettings } from './upstreams/open-upstreams.js';

export const perceptionSettings = {
  ...workerSettings,
  ...keptFileSettings,
  ...upstreamSettings,
  /** A server of Open-Meteo's protocol. Its public service keeps each part on a host of its own, which follow from this one. */
  WEATHER_API_BASE: z.url().default('https://api.open-meteo.com'),
  /** Of a paid plan. */
  WEATHER_API_KEY: z.string().optional(),
  /** Where callers reach the gateway: links to files begin with it. */
  PUBLIC_URL: z.url().default('http://127.0.0.1:3000'),
  /** Whether reports are read through signed links or by whoever has the address. */
  REPORT_VISIBILITY: z.enum(['private', 'public']).default('private'),
} as const;

export type PerceptionSettings = z.output<z.ZodObject<typeof perceptionSettings>>;
