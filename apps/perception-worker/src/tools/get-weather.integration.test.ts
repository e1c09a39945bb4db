import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runTool } from '#lib/handlers';
import { WeatherServer, type WeatherFault } from '../../../../scripts/stand-ins/weather/weather-server.js';
import { OpenMeteo } from '../weather/open-meteo.js';
import { handleGetWeather } from './get-weather.js';

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;

const unused = () => Promise.reject(new Error('no report is made here'));
const noReports = {
  reports: { render: unused },
  reportFiles: { keep: unused, visibility: 'private' },
} as const;

describe('get_weather over HTTP', () => {
  let server: WeatherServer;
  beforeAll(async () => {
    server = await WeatherServer.start();
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  const run = (input: unknown, stop = new AbortController().signal) =>
    runTool(
      handleGetWeather,
      { ...noReports, weather: new OpenMeteo(server.url, 'key-of-a-plan') },
      { jobId: 'j', number: 1, input, caller, sessionId: null, stop, onProgress: () => undefined },
    );

  test.each([
    ['Beijing', 'Beijing, China'],
    ['北京', '北京, Beijing, China'],
    ['São Paulo', 'São Paulo, Brazil'],
    ['sao paulo', 'São Paulo, Brazil'],
    ["Xi'an", "Xi'an, Shaanxi, China"],
    ['St. Louis', 'St. Louis, Missouri, United States'],
    ['San Francisco, CA', 'San Francisco, California, United States'],
    ['Springfield, MO', 'Springfield, Missouri, United States'],
  ])('finds %j', async (location, found) => {
    expect(await run({ location })).toMatchObject({ kind: 'done', data: { location: found, unit: 'celsius' } });
  });

  test('the same air has both units, and the key goes along', async () => {
    const [celsius, fahrenheit] = [await run({ location: 'Cairo' }), await run({ location: 'Cairo', unit: 'fahrenheit' })];
    if (celsius.kind !== 'done' || fahrenheit.kind !== 'done') throw new Error('no weather');
    const [c, f] = [celsius.data, fahrenheit.data].map((data) => Object(data).temperature);
    expect(f).toBeCloseTo(c * 1.8 + 32, 0);
    expect(server.asked.at(-1)?.searchParams.get('apikey')).toBe('key-of-a-plan');
    expect(celsius.networkMs).toBeGreaterThan(0);
  });

  test.each(['XYZ', 'Paris, Narnia', '. , A', 'Q'])('%j is no city', async (location) => {
    expect(await run({ location })).toMatchObject({ kind: 'refused', error: { code: 'CITY_NOT_FOUND', family: 'RESOURCE_NOT_FOUND' } });
  });

  test.each<[string, WeatherFault, object]>([
    ['a limit', { kind: 'status', status: 429, retryAfter: 7 }, { failure: 'rate-limit', hintMs: 7_000 }],
    ['an absent service', { kind: 'status', status: 503 }, { failure: 'network' }],
    ['a cut connection', { kind: 'reset' }, { failure: 'network' }],
    ['a fault of the service', { kind: 'status', status: 500 }, { failure: 'service' }],
  ])('%s is told apart', async (_name, fault, failure) => {
    server.fail(fault);
    expect(await run({ location: 'Rome' })).toMatchObject({ kind: 'failed', ...failure });
  });

  test('an answer that is no weather is a fault of the service', async () => {
    server.fail({ kind: 'nonsense' });
    const asking = new OpenMeteo(server.url).current({ latitude: 1, longitude: 1 }, 'celsius', {
      signal: new AbortController().signal,
      recordUpstreamAnswer: () => undefined,
    });
    await expect(asking).rejects.toMatchObject({ kind: 'service' });
  });

  test('a service that hangs is left when the call is', async () => {
    const stop = new AbortController();
    server.fail({ kind: 'hang' });
    const running = run({ location: 'Rome' }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect(await running).toMatchObject({ kind: 'stopped' });
  });
});
