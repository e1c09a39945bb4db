import { z } from 'zod';
import { upstreamRules } from '../../upstream-rules.js';

/** The form of a place name: letters and marks of any script, spaces, comma, period, apostrophe, hyphen (TU-16, C-28). */
const placeShape = /^[\s,.'’-]*\p{L}[\p{L}\p{M}\s,.'’-]*$/u;

/** The name of a place, 1–100 characters. Other texts are refused with the documented message. */
export function placeName() {
  return z
    .string()
    .min(1)
    .max(100)
    .regex(placeShape, { error: 'Invalid location format: use letters, spaces, commas, periods, apostrophes and hyphens' });
}

export const temperatureUnit = z.enum(['celsius', 'fahrenheit']);
export type TemperatureUnit = z.output<typeof temperatureUnit>;

/** Weather conditions, from the codes of the World Meteorological Organization. */
const weatherConditions = [
  'sunny',
  'clear',
  'partly_cloudy',
  'overcast',
  'fog',
  'drizzle',
  'freezing_drizzle',
  'rain',
  'freezing_rain',
  'snow',
  'rain_showers',
  'snow_showers',
  'thunderstorm',
  'thunderstorm_with_hail',
] as const;
export type WeatherCondition = (typeof weatherConditions)[number];

/** Fields of the answer that both versions of the tool have. */
export const currentWeather = {
  temperature: z.number().describe('Air at 2 m, in the unit asked for.'),
  unit: temperatureUnit,
  condition: z.enum(weatherConditions),
  feels_like: z.number().describe('In the unit asked for.'),
  humidity_percent: z.number().min(0).max(100),
  wind_kmh: z.number().nonnegative(),
  observed_at: z.iso.datetime().describe('UTC.'),
} as const;

/** Errors, time limit, retries and cache of both versions. The weather is the same for everybody, so its cache is public. */
export const weatherRules = {
  errors: { CITY_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
  ownCodes: true,
  ...upstreamRules,
  cache: { ttlSeconds: 600, scope: 'public' },
} as const;
