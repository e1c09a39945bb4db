import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { acceptedShape, batchShape, jobShape, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { WeatherServer } from '../../../scripts/stand-ins/weather/weather-server.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

describe('get_weather', () => {
  let weather: WeatherServer;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    weather = await WeatherServer.start();
    system = await startSystem({
      inProcess,
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

  verifies(['TU-67'], 'shows a developer what the service answered, at every door, whichever way the call ended', async () => {
    const forecast = { api: 'GET /v1/forecast', status: 200, body: { current: { temperature_2m: expect.any(Number) } } };
    const told = { internal_api_response: forecast, earlier_api_responses: [{ api: 'GET /v1/search', status: 200 }] };
    const input = { location: 'London' };
    const waited = await user.call('get_weather?debug=true', input);
    expect(waited.envelope.debug_info).toMatchObject({ ...told, cache_hit: false });
    // What came from the cache was asked of nobody.
    const cached = await user.call('get_weather?debug=true', input);
    expect(cached.envelope.debug_info).toMatchObject({ cache_hit: true });
    expect(cached.envelope.debug_info).not.toHaveProperty('internal_api_response');

    const fresh = 'get_weather?debug=true&enable_cache=false';
    const { job_id: jobId } = (await user.post(`/tools/${fresh}`, input, { prefer: 'respond-async' })).as(acceptedShape);
    expect((await user.get(`/jobs/${jobId}?wait=10`)).as(jobShape).result?.debug_info).toMatchObject(told);
    await using resumed = await user.stream(`/jobs/${jobId}/events`);
    expect((await resumed.rest()).at(-1)?.data).toMatchObject({ debug_info: told });
    await using stream = await user.stream('/tools/get_weather/sse?debug=true&enable_cache=false', { method: 'POST', json: input });
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ debug_info: told });
    const options = { debug: true, enable_cache: false };
    const batch = await user.post('/tools/batch', { calls: [{ id: 1, name: 'get_weather', arguments: input, options }] });
    expect(batch.as(batchShape).results[0]?.envelope.debug_info).toMatchObject(told);

    expect((await user.call('get_weather?enable_cache=false', input)).text).not.toContain('temperature_2m');
    weather.fail({ kind: 'status', status: 500 });
    const failed = await user.call('get_weather?debug=true&enable_retry=false', { location: 'Cairo' });
    expect(failed.envelope).toMatchObject({
      success: false,
      debug_info: { internal_api_response: { api: 'GET /v1/search', status: 500 } },
    });
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
