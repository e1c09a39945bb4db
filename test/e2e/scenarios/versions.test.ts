import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { z } from 'zod';
import { startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { WeatherServer } from '../../../scripts/stand-ins/weather/weather-server.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const run = promisify(execFile);
const named = z.object({
  tools: z.array(z.looseObject({ name: z.string().optional(), function: z.object({ name: z.string() }).optional() })),
});

describe('versions side by side', () => {
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

  verifies(['TU-70', 'TU-71'], 'the bare name is the first major, a range finds the other, each runs as itself', async () => {
    expect((await user.get('/tools/get_weather')).body).toMatchObject({ version: '1.0.0' });
    for (const path of ['/tools/get_weather@2', '/tools/get_weather?version=^2.0.0', '/tools/get_current_weather@2.1.0'])
      expect((await user.get(path)).body).toMatchObject({
        version: '2.1.0',
        changelog: { '2.1.0': expect.any(String), '2.0.0': expect.any(String), '1.0.0': expect.any(String) },
      });
    const [first, second] = [
      await user.call('get_weather', { location: 'Tokyo' }),
      await user.call('get_weather@2', { city: 'Tokyo', country: 'JP' }),
    ];
    expect(expectSuccess(first.envelope)).toMatchObject({ location: 'Tokyo, Japan' });
    expect(expectSuccess(second.envelope)).toMatchObject({ city: 'Tokyo, Japan', air_quality: { us_aqi: expect.any(Number) } });
    expect([first, second].map(({ envelope }) => envelope.metadata.tool_version)).toEqual(['1.0.0', '2.1.0']);
    expectRefusal(await user.call('get_weather@2', { location: 'Tokyo' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['city', 'location'],
    });
    expectRefusal(await user.call('get_weather@3', {}), { status: 404, code: 'TOOL_NOT_FOUND' });
    expectRefusal(await user.call('get_weather@newest', {}), { status: 400, code: 'INVALID_PARAMS' });
    expectRefusal(await user.call('get_weather@2', { city: 'Tokyo', country: 'FR' }), {
      status: 404,
      code: 'CITY_NOT_FOUND',
      native: 'CITY_NOT_FOUND',
    });
  });

  verifies(
    ['TU-72', 'TU-73', 'TU-122'],
    'get_weather_v1 is listed as deprecated, hidden from models, and answers 410 without asking anyone',
    async () => {
      expect((await user.get('/tools/get_weather_v1')).body).toMatchObject({
        version: '1.0.0',
        deprecated: true,
        sunset_date: '2026-12-31',
        replacement: 'get_weather',
        migration_guide: expect.any(String),
      });
      const before = weather.asked.length;
      const { error } = expectRefusal(await user.call('get_weather_v1', { location: 'Tokyo' }), { status: 410, code: 'TOOL_DEPRECATED' });
      expect(error).toMatchObject({
        replacement: 'get_weather',
        sunset_date: '2026-12-31',
        message: expect.stringContaining("'get_weather'"),
      });
      expect(weather.asked.length).toBe(before);
      const namesIn = async (query: string) =>
        (await user.get(`/tools${query}`)).as(named).tools.map((tool) => tool.name ?? tool.function?.name);
      expect(await namesIn('')).toContain('get_weather_v1');
      for (const format of ['openai', 'anthropic', 'mcp']) expect(await namesIn(`?format=${format}`)).not.toContain('get_weather_v1');
    },
  );

  verifies(['TU-76'], 'a breaking version has its guide', async () => {
    const { migration_guide } = (await user.get('/tools/get_weather@2')).as(z.looseObject({ migration_guide: z.string() }));
    const guide = await user.get(migration_guide);
    expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    for (const part of ['`location` → `city`', '`country`', '// before', 'migration-check']) expect(guide.text).toContain(part);
    expectRefusal(await user.get('/docs/migrations/..%2F..%2Fpackage'), { status: 404, code: 'RESOURCE_NOT_FOUND' });
  });
});

describe('the migration check', () => {
  const check = async (...args: string[]) =>
    run(process.execPath, ['dist/scripts/migration-check.js', ...args]).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: unknown) => z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error),
    );

  verifies(['TU-74', 'TU-75', 'TU-77'], 'tells the differences and exits with its verdict', async () => {
    const breaking = await check('--tool', 'get_weather', '--from', '1.0', '--to', '2.0');
    expect(breaking.code).toBe(1);
    expect(breaking.stdout).toMatch(/get_weather 1\.0\.0 → 2\.0\.0: NOT compatible/);
    expect(breaking.stdout).toContain('may have been renamed to city');
    const harmless = await check('--tool', 'get_weather', '--from', '2.0', '--to', '2.1');
    expect([harmless.code, harmless.stdout]).toEqual([0, expect.stringMatching(/compatible\n.*air_quality was added/)]);
    const asData = await check('--tool', 'get_weather', '--from', '1.0.0', '--json');
    expect(JSON.parse(asData.stdout)).toMatchObject({ compatible: false, from: '1.0.0', to: '2.1.0' });
    for (const wrong of [
      ['--tool', 'nothing', '--from', '1.0'],
      ['--tool', 'get_weather', '--from', 'one'],
      ['--from', '1.0'],
      ['--tool', 'get_weather', '--from', '7.7'],
    ])
      expect([wrong, (await check(...wrong)).code]).toEqual([wrong, 2]);
  });
});

describe('the three phases of a tool’s life', () => {
  let lab: LabSystem;
  const days = ['2099-12-30', '2099-12-31'];

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2, gatewayEnv: (index) => ({ LIFECYCLE_DATE: days[index] ?? '' }) });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  verifies(['TU-72', 'TU-73'], 'served, served with its end announced, refused from that day on', async () => {
    const user = await lab.system.caller();
    const active = await user.call('calc_metrics', { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' });
    expect([active.status, active.headers.get('sunset')]).toEqual([200, null]);
    const announced = await user.call('lab_sunset', { word: 'dusk' });
    expect(announced.status).toBe(200);
    expect(announced.headers.get('sunset')).toBe(new Date('2099-12-31').toUTCString());
    expect(announced.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(announced.headers.get('link')).toMatch(/rel="successor-version"/);
    expect(announced.envelope.metadata.warnings).toEqual([expect.stringContaining('2099-12-31')]);
    const over = user.at(lab.system.gateways[1]?.url ?? '');
    expectRefusal(await over.call('lab_sunset', { word: 'dusk' }), { status: 410, code: 'TOOL_DEPRECATED' });
  });
});
