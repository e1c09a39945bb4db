import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { closedPort, json, serve } from '../test-server.js';
import { addressOf, OpenMeteo } from './open-meteo.js';

const search = { part: 'geocoding', path: 'v1/search', query: { name: 'São Paulo' } } as const;
const never = new AbortController().signal;
const spot = { latitude: 39.9, longitude: 116.4 };
const current = {
  time: 1_767_225_600,
  temperature_2m: 3.5,
  apparent_temperature: -1,
  relative_humidity_2m: 40,
  wind_speed_10m: 12.3,
  weather_code: 3,
  is_day: 1,
};

/** What the upstream answered, as it is recorded for the caller's debug information. */
function recording() {
  const answers: { readonly api: string; readonly status: string | number }[] = [];
  return { answers, call: { signal: never, recordUpstreamAnswer: (answer: (typeof answers)[number]) => void answers.push(answer) } };
}
const { call } = recording();

test.each([
  ['https://api.open-meteo.com/', 'https://geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o+Paulo'],
  ['https://customer-api.open-meteo.com/', 'https://customer-geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o+Paulo'],
  ['http://127.0.0.1:3201/weather/', 'http://127.0.0.1:3201/weather/v1/search?name=S%C3%A3o+Paulo'],
])('at %s places are searched for at %s', (base, wanted) => {
  expect(addressOf(new URL(base), search).href).toBe(wanted);
});

test.each([
  ['air-quality', 'https://air-quality-api.open-meteo.com/v1/x?'],
  [null, 'https://api.open-meteo.com/v1/x?'],
] as const)('the part %s has a host of its own', (part, wanted) => {
  expect(addressOf(new URL('https://api.open-meteo.com/'), { part, path: 'v1/x', query: {} }).href).toBe(wanted.slice(0, -1));
});

describe('a request', () => {
  test('for places names the language that the name is written in', async () => {
    await using server = await serve(json({ results: [] }));
    const weather = new OpenMeteo(server.url.href);
    await weather.searchPlaces('北京', call);
    await weather.searchPlaces('Beijing', call);
    const languages = server.requests.map((request) => new URL(request.split(' ')[1] ?? '', server.url).searchParams.get('language'));
    expect(languages).toEqual(['zh', 'en']);
  });

  test('for the weather names place and unit, and the key where there is one', async () => {
    await using server = await serve(json({ current }));
    await new OpenMeteo(server.url.href.slice(0, -1), 'a key').current(spot, 'fahrenheit', call);
    const { pathname, searchParams } = new URL(server.requests[0]?.split(' ')[1] ?? '', server.url);
    expect(pathname).toBe('/v1/forecast');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      latitude: '39.9',
      longitude: '116.4',
      temperature_unit: 'fahrenheit',
      wind_speed_unit: 'kmh',
      apikey: 'a key',
    });
  });

  test('is recorded without its query, which may hold the key', async () => {
    await using server = await serve(json({ current }));
    const { answers, call: recorded } = recording();
    await new OpenMeteo(server.url.href, 'a key').current(spot, 'celsius', recorded);
    expect(answers).toEqual([{ api: 'GET /v1/forecast', status: 200, body: { current } }]);
  });
});

describe('an answer', () => {
  test('of the weather is given in the contract’s words', async () => {
    await using server = await serve(json({ current }));
    expect(await new OpenMeteo(server.url.href).current(spot, 'celsius', call)).toEqual({
      temperature: 3.5,
      unit: 'celsius',
      condition: 'overcast',
      feels_like: -1,
      humidity_percent: 40,
      wind_kmh: 12.3,
      observed_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('of the air has a whole index', async () => {
    await using server = await serve(json({ current: { time: 1, us_aqi: 41.6, pm2_5: 9.9, pm10: 20.1 } }));
    expect(await new OpenMeteo(server.url.href).airQuality(spot, call)).toEqual({ us_aqi: 42, pm2_5: 9.9, pm10: 20.1 });
  });

  test.each([{}, { results: [] }])('%j holds no place', async (body) => {
    await using server = await serve(json(body));
    expect(await new OpenMeteo(server.url.href).searchPlaces('x', call)).toEqual([]);
  });
});

describe('a service that misbehaves', () => {
  test.each<[string, RequestListener, object]>([
    ['asks to slow down', json({}, 429, { 'retry-after': '7' }), { kind: 'rate-limit', hintMs: 7_000 }],
    ['asks to slow down without saying how long', json({}, 429), { kind: 'rate-limit', hintMs: undefined }],
    [
      'asks to slow down until a date',
      json({}, 429, { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }),
      { kind: 'rate-limit', hintMs: expect.any(Number) },
    ],
    ['asks to slow down for no time', json({}, 429, { 'retry-after': '0' }), { kind: 'rate-limit', hintMs: 0 }],
    ['is behind a broken gateway', json({}, 502), { kind: 'network' }],
    ['is away', json({}, 503), { kind: 'network' }],
    ['is slow behind a gateway', json({}, 504), { kind: 'network' }],
    ['has a fault', json({}, 500), { kind: 'service', message: 'The weather service answered 500' }],
    ['does not know us', json({}, 401), { kind: 'service' }],
    ['does not take our parameters', json({ error: true }, 400), { kind: 'service' }],
    ['answers with another shape', json({ weather: 'nice' }), { kind: 'service', message: expect.stringContaining('v1/forecast') }],
    ['answers with a value of another type', json({ current: { ...current, temperature_2m: 'warm' } }), { kind: 'service' }],
    ['answers with a page', (_request, response) => void response.end('<h1>Hello</h1>'), { kind: 'service' }],
    ['answers with nothing', (_request, response) => void response.end(), { kind: 'service' }],
  ])('and %s is a failure of its kind', async (_what, listener, failure) => {
    await using server = await serve(listener);
    await expect(new OpenMeteo(server.url.href).current(spot, 'celsius', call)).rejects.toMatchObject({ name: 'Failure', ...failure });
  });

  test('and redirects is not followed', async () => {
    await using elsewhere = await serve(json({ current }));
    await using server = await serve((_request, response) => void response.writeHead(302, { location: elsewhere.url.href }).end());
    await expect(new OpenMeteo(server.url.href, 'a key').current(spot, 'celsius', call)).rejects.toThrow();
    expect(elsewhere.requests).toEqual([]);
  });

  test('and is not there fails with the connection’s own error', async () => {
    const weather = new OpenMeteo(`http://127.0.0.1:${await closedPort()}`);
    await expect(weather.current(spot, 'celsius', call)).rejects.toMatchObject({
      cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
    });
  });

  test('and is cut within its answer fails as the network does', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"current":', () => response.destroy());
    });
    const asking = new OpenMeteo(server.url.href).current(spot, 'celsius', call);
    await expect(asking).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'UND_ERR_SOCKET' }) });
  });

  test('and hangs is left with the call', async () => {
    await using server = await serve(() => undefined);
    const stop = new AbortController();
    const asking = new OpenMeteo(server.url.href).current(spot, 'celsius', { ...call, signal: stop.signal });
    stop.abort(new Error('the call is over'));
    await expect(asking).rejects.toThrow('the call is over');
  });
});

test('an answer that is too large after decompression is refused', async () => {
  const body = gzipSync(JSON.stringify({ results: [], padding: ' '.repeat(1024 * 1024) }));
  await using server = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
  await expect(new OpenMeteo(server.url.href).searchPlaces('Beijing', call)).rejects.toThrow(/more than 1048576 bytes/);
});
