// Client of Open-Meteo's protocol (https://open-meteo.com/en/docs): search for places, weather of this moment.
import { jsonIn } from '#lib/contracts';
import { z } from 'zod';
import type { TemperatureUnit, WeatherCondition } from '#lib/contracts';
import { boundedFetch } from '#lib/platform';
import { Failure, retryAfterMs, type ToolContext } from '#lib/handlers';
import { conditionOf } from './conditions.js';

/** Answers have a few kB. */
const fetchBounded = boundedFetch(1024 * 1024);

const place = z.object({
  name: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  country_code: z.string().optional(),
  country: z.string().optional(),
  admin1: z.string().optional(),
  admin2: z.string().optional(),
  population: z.number().optional(),
});
export type Place = z.output<typeof place>;

const found = z.object({ results: z.array(place).default([]) });
const forecast = z.object({
  current: z.object({
    time: z.int(),
    temperature_2m: z.number(),
    apparent_temperature: z.number(),
    relative_humidity_2m: z.number(),
    wind_speed_10m: z.number(),
    weather_code: z.int(),
    is_day: z.int(),
  }),
});

const airQuality = z.object({ current: z.object({ time: z.int(), us_aqi: z.number(), pm2_5: z.number(), pm10: z.number() }) });

export interface Air {
  readonly us_aqi: number;
  readonly pm2_5: number;
  readonly pm10: number;
}

export interface Weather {
  readonly temperature: number;
  readonly unit: TemperatureUnit;
  readonly condition: WeatherCondition;
  readonly feels_like: number;
  readonly humidity_percent: number;
  readonly wind_kmh: number;
  readonly observed_at: string;
}

/** The part of a call's context that requests need. */
type WeatherCall = Pick<ToolContext, 'signal' | 'recordUpstreamAnswer'>;

interface WeatherRequest {
  readonly part: 'geocoding' | 'air-quality' | null;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const currentFields = Object.keys(forecast.shape.current.shape).filter((name) => name !== 'time');
const airFields = Object.keys(airQuality.shape.current.shape).filter((name) => name !== 'time');
/** Places that are asked for; the one that is meant must be among them. */
const maxCandidates = 10;

export class OpenMeteo {
  readonly #base: URL;
  readonly #key: string | undefined;

  constructor(base: string, key?: string) {
    this.#base = new URL(base.endsWith('/') ? base : `${base}/`);
    this.#key = key;
  }

  /** The places of a name, the most likely one first; empty if there is none. */
  async searchPlaces(name: string, asking: WeatherCall): Promise<readonly Place[]> {
    // The service matches names in the language of the request only.
    const language = /\p{Script=Han}/u.test(name) ? 'zh' : 'en';
    const query = { name, count: String(maxCandidates), language, format: 'json' };
    return (await this.#get(found, { part: 'geocoding', path: 'v1/search', query }, asking)).results;
  }

  /** The present weather at a place. */
  async current(
    { latitude, longitude }: Pick<Place, 'latitude' | 'longitude'>,
    unit: TemperatureUnit,
    asking: WeatherCall,
  ): Promise<Weather> {
    const query = {
      latitude: String(latitude),
      longitude: String(longitude),
      current: currentFields.join(','),
      temperature_unit: unit,
      wind_speed_unit: 'kmh',
      timeformat: 'unixtime',
    };
    const { current } = await this.#get(forecast, { part: null, path: 'v1/forecast', query }, asking);
    return {
      temperature: current.temperature_2m,
      unit,
      condition: conditionOf(current.weather_code, current.is_day === 1),
      feels_like: current.apparent_temperature,
      humidity_percent: current.relative_humidity_2m,
      wind_kmh: current.wind_speed_10m,
      observed_at: new Date(current.time * 1_000).toISOString(),
    };
  }

  /** The present air quality at a place. */
  async airQuality({ latitude, longitude }: Pick<Place, 'latitude' | 'longitude'>, asking: WeatherCall): Promise<Air> {
    const query = { latitude: String(latitude), longitude: String(longitude), current: airFields.join(','), timeformat: 'unixtime' };
    const { current } = await this.#get(airQuality, { part: 'air-quality', path: 'v1/air-quality', query }, asking);
    return { us_aqi: Math.round(current.us_aqi), pm2_5: current.pm2_5, pm10: current.pm10 };
  }

  async #get<Schema extends z.ZodType>(
    schema: Schema,
    asked: WeatherRequest,
    { signal, recordUpstreamAnswer }: WeatherCall,
  ): Promise<z.output<Schema>> {
    const url = addressOf(this.#base, asked);
    if (this.#key) url.searchParams.set('apikey', this.#key);
    const response = await fetchBounded(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    // Read before it is parsed: a connection that is cut here is a network failure, and not an answer of another shape.
    const body = jsonIn(await response.text()) ?? null;
    recordUpstreamAnswer({ api: `GET /${asked.path}`, status: response.status, body });
    if (!response.ok) throw failureOf(response);
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new Failure('service', `The weather service answered what is no ${asked.path}`, { cause: parsed.error });
    return parsed.data;
  }
}

/** The URL of a request. The public service has hosts such as `geocoding-api.open-meteo.com` for its parts; other servers have one host. */
export function addressOf(base: URL, { part, path, query }: WeatherRequest): URL {
  const url = new URL(path, base);
  if (part !== null) url.hostname = url.hostname.replace(/\bapi\.open-meteo\.com$/, `${part}-api.open-meteo.com`);
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** The failure for an error status. */
function failureOf({ status, headers }: Response): Failure {
  const hintMs = retryAfterMs(headers.get('retry-after'), Date.now());
  if (status === 429) return new Failure('rate-limit', 'The weather service asks to slow down', { hintMs });
  // These statuses come from proxies that cannot reach the service.
  if (status === 502 || status === 503 || status === 504) return new Failure('network', `The weather service is away (${status})`);
  return new Failure('service', `The weather service answered ${status}`);
}
