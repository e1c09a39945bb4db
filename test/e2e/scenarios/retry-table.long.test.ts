// Retries of tools that ask services of others: counted and timed at the service, through gateway, queue and worker.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { givenStores, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { expectRefusal } from '../expectations.js';
import { verifies } from '../verifies.js';

// The slowest of these calls is tried three times for 10 s.
jest.setTimeout(120_000);

const baseMs = 100;
const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/perception-worker/src/main.js' };
const policy = (maxRetries: number, base: number, factor: number) => ({ max_retries: maxRetries, base_delay_ms: base, factor });
const never = policy(0, 0, 1);

/** How one try is answered; a number is a status, with `Retry-After` where it is given. */
type Try = 'reset' | 'hang' | 'good' | number | readonly [429, string];

/** A service that answers each try as told, and remembers when it came. */
interface Service extends AsyncDisposable {
  readonly url: string;
  /** Begins a new count. The last answer is given again and again. */
  readonly answerWith: (...tries: readonly Try[]) => void;
  /** Between one try and the next, in ms. */
  readonly gaps: () => readonly number[];
}

describe('a service of others that fails', () => {
  const started = new AsyncDisposableStack();
  let system: System;
  let user: HttpCaller;
  let weather: Service;
  let outside: Service;

  beforeAll(async () => {
    weather = started.use(
      await serve((path) => path.startsWith('/v1/search'), {
        results: [{ name: 'Rome', latitude: 1, longitude: 1 }],
        current: {
          time: 1,
          temperature_2m: 1,
          apparent_temperature: 1,
          relative_humidity_2m: 1,
          wind_speed_10m: 1,
          weather_code: 0,
          is_day: 1,
        },
      }),
    );
    const tool = (name: string, hints: object) => ({ name, description: 'Does it.', parameters: { type: 'object' }, ...hints });
    const tools = [tool('look', { read_only: true }), tool('change', {})];
    outside = started.use(await serve((path) => path === '/tools/call', { tools, success: true, data: {} }));
    // Registered servers are the whole product's, not a tenant's: no other test may find them.
    const postgres = started.use(await startPostgres());
    await migrate(postgres.url);
    system = started.use(
      await startSystem({
        stores: { ...givenStores(), databaseUrl: postgres.url },
        mains,
        env: { RETRY_BASE_MS: String(baseMs) },
        workerEnv: { WEATHER_API_BASE: weather.url },
      }),
    );
    user = await system.caller();
    const registered = await (await system.admin()).post('/mcp/servers', { name: 'there', tenants: '*', url: outside.url, kind: 'rest' });
    expect(registered.status).toBe(201);
  }, startTimeoutMs);
  afterAll(async () => started.disposeAsync(), startTimeoutMs);

  const callWeather = () => user.call('get_weather?enable_cache=false', { location: 'Rome' });
  const callLook = () => user.call('there__look', {});
  const callChange = () => user.call('there__change', {});
  const services = [
    ['get_weather', callWeather, () => weather],
    ['a tool of an outside server', callLook, () => outside],
  ] as const;

  verifies(['PL-04'], 'is retried by the table of its tool, which its definition shows', async () => {
    const timed = { network: policy(3, baseMs, 2), timeout: policy(2, baseMs, 2), rate_limit: policy(3, 1_000, 1), service: never };
    const shown = z.looseObject({ timeout_ms: z.number(), retry_policy: z.unknown() });
    for (const name of ['get_weather', 'get_weather@2', 'there__look', 'search_documents'])
      expect([name, (await user.get(`/tools/${name}`)).as(shown)]).toMatchObject([name, { timeout_ms: 10_000, retry_policy: timed }]);
    expect((await user.get('/tools/there__change')).body).toMatchObject({ timeout_ms: 10_000, retry_policy: { ...timed, timeout: never } });
  });

  describe.each(services)('%s', (_name, call, serviceOf) => {
    verifies(['TU-58'], 'is tried three times more after network failures, each later than the one before', async () => {
      serviceOf().answerWith('reset');
      expectRefusal(await call(), { status: 503, code: 'NETWORK_ERROR' });
      const gaps = serviceOf().gaps();
      expect(gaps).toHaveLength(3);
      for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(baseMs * 2 ** index * 0.75 - 5);
    });

    verifies(['TU-60'], 'is left alone for the time of its Retry-After, or for a second', async () => {
      serviceOf().answerWith([429, '2'], 429, 'good');
      expect((await call()).envelope).toMatchObject({ success: true, metadata: { attempts: 3 } });
      const [asked = 0, unasked = 0] = serviceOf().gaps();
      expect([asked >= 1_995, unasked >= 995]).toEqual([true, true]);
      expect(unasked).toBeLessThan(asked);
    });

    test('is tried three times more after limits, and then it is RATE_LIMITED', async () => {
      serviceOf().answerWith([429, '0']);
      expectRefusal(await call(), { status: 429, code: 'RATE_LIMITED' });
      expect(serviceOf().gaps()).toHaveLength(3);
    });

    test('is not tried again after an answer that is a fault', async () => {
      serviceOf().answerWith(500);
      expectRefusal(await call(), { status: 500, code: 'EXECUTION_ERROR' });
      expect(serviceOf().gaps()).toEqual([]);
    });
  });

  verifies(['TU-59'], 'by hanging is left after 10 s, and tried twice more', async () => {
    for (const service of [weather, outside]) service.answerWith('hang');
    for (const reply of await Promise.all([callWeather(), callLook()])) expectRefusal(reply, { status: 504, code: 'TIMEOUT' });
    for (const service of [weather, outside]) {
      expect(service.gaps()).toHaveLength(2);
      for (const gap of service.gaps()) expect(gap).toBeGreaterThanOrEqual(9_990 + baseMs * 0.75);
    }
  });

  test.each([
    ['by a cut connection', 'reset', { status: 503, code: 'NETWORK_ERROR' }],
    ['by hanging', 'hang', { status: 504, code: 'TIMEOUT' }],
  ] as const)('%s is not asked a second time for what must not happen twice', async (_how, how, refusal) => {
    outside.answerWith(how);
    expectRefusal(await callChange(), refusal);
    expect(outside.gaps()).toEqual([]);
  });

  test('by a limit is asked again for what must not happen twice: it has not happened', async () => {
    outside.answerWith([429, '0'], 'good');
    expect((await callChange()).envelope).toMatchObject({ success: true, metadata: { attempts: 2 } });
  });
});

/** @param counts which requests are tries @param good the answer of every other request, and of a try that goes well */
async function serve(counts: (path: string) => boolean, good: object): Promise<Service> {
  let left: readonly Try[] = [];
  let cameAt: number[] = [];
  const listener: RequestListener = (request, response) => {
    request.resume();
    const isTry = counts(request.url ?? '');
    const [how = 'good', ...later] = isTry ? left : [];
    if (isTry) {
      cameAt.push(performance.now());
      if (later.length > 0) left = later;
    }
    if (how === 'reset') request.socket.resetAndDestroy();
    else if (how === 'good') response.setHeader('content-type', 'application/json').end(JSON.stringify(good));
    else if (how !== 'hang') {
      const [status, retryAfter] = typeof how === 'number' ? [how, undefined] : how;
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('{}');
    }
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    answerWith: (...tries) => {
      left = tries;
      cameAt = [];
    },
    gaps: () => cameAt.slice(1).map((at, index) => at - (cameAt[index] ?? NaN)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
