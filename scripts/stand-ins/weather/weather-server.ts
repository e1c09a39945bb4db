// Speaks the protocol of Open-Meteo with invented data, for runs without the internet, and for tests, which can make it fail.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { airAt } from './climate.js';
import { citiesNamed, type City } from './cities.js';

/** How the next request fails. `nonsense` is an answer of another shape. */
export type WeatherFault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'nonsense' };

const intervalSeconds = 900;

export class WeatherServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #asked: URL[] = [];
  readonly #faults: WeatherFault[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#serve(request, response));
  }

  static async start(port = 0): Promise<WeatherServer> {
    const server = createServer();
    const weather = new WeatherServer(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return weather;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('The weather server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Every request so far. */
  get asked(): readonly URL[] {
    return this.#asked;
  }

  /** Each of the next requests fails as told; then it answers again. */
  fail(...faults: readonly WeatherFault[]): void {
    this.#faults.push(...faults);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    if (url.pathname === '/healthz') return send(response, 200, { status: 'ok' });
    this.#asked.push(url);
    const fault = this.#faults.shift();
    if (fault) return applyFault(response, fault);
    const answer = answers[url.pathname];
    if (!answer) return send(response, 404, { error: true, reason: 'Not Found' });
    const body = answer(url.searchParams);
    send(response, 'error' in body ? 400 : 200, body);
  }
}

const answers: Readonly<Record<string, (query: URLSearchParams) => object>> = {
  '/v1/search': (query) => {
    const name = query.get('name');
    if (!name) return refused("Parameter 'name' is required");
    const count = Number(query.get('count') ?? 10);
    if (!(count >= 1 && count <= 100)) return refused("Parameter 'count' must be between 1 and 100.");
    const results = citiesNamed(name)
      .slice(0, count)
      .map((city) => localised(city, query.get('language') ?? 'en'));
    // Open-Meteo leaves an empty list out.
    return { ...(results.length > 0 && { results }), generationtime_ms: 0.4 };
  },
  '/v1/forecast': (query) => {
    const place = placeOf(query);
    if ('error' in place) return place;
    const fahrenheit = query.get('temperature_unit') === 'fahrenheit';
    const degrees = (celsius: number): number => rounded(fahrenheit ? celsius * 1.8 + 32 : celsius);
    return currentConditions(query, place, (air) => ({
      temperature_2m: degrees(air.celsius),
      apparent_temperature: degrees(air.feelsLike),
      relative_humidity_2m: air.humidity,
      wind_speed_10m: rounded(air.windKmh),
      weather_code: air.weatherCode,
      is_day: air.isDay ? 1 : 0,
    }));
  },
  '/v1/air-quality': (query) => {
    const place = placeOf(query);
    if ('error' in place) return place;
    return currentConditions(query, place, (air) => ({ us_aqi: air.aqi, pm2_5: rounded(air.pm25), pm10: rounded(air.pm10) }));
  },
};

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

function currentConditions(
  query: URLSearchParams,
  place: Place,
  values: (air: ReturnType<typeof airAt>) => Readonly<Record<string, number>>,
): object {
  const at = Math.floor(Date.now() / 1_000 / intervalSeconds) * intervalSeconds;
  const known = values(airAt(place.latitude, place.longitude, at));
  const wanted = (query.get('current') ?? '').split(',').filter(Boolean);
  const unknown = wanted.find((name) => !Object.hasOwn(known, name));
  if (unknown) return refused(`Data corrupted at path ''. Cannot initialize variable from invalid String value ${unknown}.`);
  const time = query.get('timeformat') === 'unixtime' ? at : new Date(at * 1_000).toISOString().slice(0, 16);
  return {
    ...place,
    generationtime_ms: 0.05,
    utc_offset_seconds: 0,
    timezone: 'GMT',
    current: { time, interval: intervalSeconds, ...Object.fromEntries(wanted.map((name) => [name, known[name]])) },
  };
}

function placeOf(query: URLSearchParams): Place | { readonly error: true; readonly reason: string } {
  const latitude = Number(query.get('latitude') ?? NaN);
  const longitude = Number(query.get('longitude') ?? NaN);
  if (!(Math.abs(latitude) <= 90)) return refused(`Latitude must be in range of -90 to 90°. Given: ${latitude}.`);
  if (!(Math.abs(longitude) <= 180)) return refused(`Longitude must be in range of -180 to 180°. Given: ${longitude}.`);
  return { latitude, longitude };
}

function refused(reason: string): { readonly error: true; readonly reason: string } {
  return { error: true, reason };
}

function localised({ zh, ...city }: City, language: string): object {
  return language.startsWith('zh') && zh ? { ...city, name: zh } : city;
}

function applyFault(response: ServerResponse, fault: WeatherFault): void {
  switch (fault.kind) {
    case 'status':
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      return send(response, fault.status, { error: true, reason: 'told to fail' });
    case 'reset':
      return void response.destroy();
    case 'nonsense':
      return send(response, 200, { weather: 'nice' });
    case 'hang':
      return;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
