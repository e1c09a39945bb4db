import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { WeatherServer } from '../../../scripts/stand-ins/weather/weather-server.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { verifies } from '../verifies.js';

describe('get_weather', () => {
  let weather: WeatherServer;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    weather = await WeatherServer.start();
    system = await startSystem({
      mains: { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/perception-worker/src/main.js' },
      workerEnv: { WEATHER_API_BASE: weather.url },
    });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await weather?.[Symbol.asyncDispose]();
  });

  verifies(['TU-101', 'TU-18', 'TU-80'], 'is listed as the perception node has it, and answers with the weather', async () => {
    expect((await user.get('/tools/get_weather')).body).toMatchObject({
      name: 'get_weather',
      version: '1.0.0',
      strict: true,
      cacheable: true,
      cache_ttl: 600,
      estimated_tokens: { input: 50, output: { typical: 100, max: 200 } },
      parameters: {
        required: ['location'],
        additionalProperties: false,
        properties: { location: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      },
    });
    const { envelope } = await user.call('get_weather', { location: 'Beijing' });
    expect(expectSuccess(envelope)).toMatchObject({
      location: 'Beijing, China',
      temperature: expect.any(Number),
      condition: expect.any(String),
      unit: 'celsius',
    });
    const again = await user.call('get_current_weather', { location: 'Beijing', unit: 'celsius' });
    expect(again.envelope.metadata).toMatchObject({ tool_name: 'get_weather', cache: { hit: true } });
  });

  verifies(['TU-16', 'TU-17'], 'refuses what is no place or no unit before it asks anyone', async () => {
    const before = weather.asked.length;
    const place = expectRefusal(await user.call('get_weather', { location: 'Bei;jing' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['location'],
    });
    expect(place.error.message).toContain('Invalid location format');
    const unit = expectRefusal(await user.call('get_weather', { location: 'Beijing', unit: 'kelvin' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['unit'],
    });
    expect(unit.error.message).toContain('unit');
    expect(weather.asked.length).toBe(before);
  });

  verifies(['TU-19'], 'an unknown city is 404 CITY_NOT_FOUND, not to be tried again', async () => {
    const { error } = expectRefusal(await user.call('get_weather', { location: 'XYZ' }), {
      status: 404,
      code: 'CITY_NOT_FOUND',
      native: 'CITY_NOT_FOUND',
    });
    expect(error).toMatchObject({ retryable: false });
  });

  verifies(['TU-58', 'TU-46'], 'outlasts a service that is away for a moment; a caller who takes both gets JSON', async () => {
    weather.fail({ kind: 'status', status: 503 }, { kind: 'reset' });
    const reply = await user.call('get_weather', { location: 'Nairobi' }, { accept: 'text/event-stream, application/json' });
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(reply.envelope.metadata).toMatchObject({ attempts: 3 });
  });

  verifies(['TU-78', 'TU-79'], 'costs the tokens that it promised, measured by the documented rule', async () => {
    const { envelope } = await user.call('get_weather?debug=true', { location: 'Rome' });
    const measured = Math.ceil(JSON.stringify(envelope.data).length / 3.5);
    expect(envelope.debug_info).toMatchObject({ tokens: { estimated: 100, measured } });
    expect(measured).toBeLessThanOrEqual(200);
    const metrics = await (await fetch(`${system.worker.url}/metrics`)).text();
    expect(metrics).toMatch(/invoq_tool_output_tokens_sum\{tool="get_weather"[^}]*\} [1-9]/);
  });
});
