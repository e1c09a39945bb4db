// Many callers at once, a worker that dies in the middle, and a marker inside every link that is looked for everywhere afterwards.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedShape, eventually, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import type { FaultInput } from '../../../apps/stripe-sandbox/src/faults.js';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres, startRedis, type PrivateStore } from '../../../scripts/provision/private-stores.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';

const relink = '/stripe/connect_generate_relink_url';
const login = '/stripe/express_dashboard_login_link';
const wish = (n: number) => ({
  stripe_account_id: 'acct_ok',
  return_url: `https://app.example.com/${n}`,
  refresh_url: `https://app.example.com/${n}`,
});
const urlIn = (body: unknown) => (typeof body === 'object' && body !== null && 'url' in body ? String(body.url) : '');
const marker = 'canary4711';

/** A collector of spans, as an operator would run one: it keeps what it is sent. */
class Collector implements AsyncDisposable {
  received = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => void (this.received += chunk.toString('latin1')));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    const address = this.#server.address();
    return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('links under load', () => {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'invoq-canary-'));
  let redis: PrivateStore;
  let postgres: PrivateStore;
  let collector: Collector;
  let stripe: StripeSystem;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([
      startRedis({ dir: join(dir.path, 'redis') }),
      startPostgres({ dir: join(dir.path, 'postgres') }),
    ]);
    await migrate(postgres.url);
    collector = await new Collector().start();
    // Many calls at once keep a small machine busy: what is tested is that links are not lost, not how long they take.
    const patient = { STRIPE_TIMEOUT_MS: '4000', PLATFORM_DATABASE_TIMEOUT_MS: '2000' };
    const env = { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_CONTENT: 'on', ...patient };
    stripe = await startStripeSystem({
      gateways: 2,
      workers: 2,
      stores: { redisUrl: redis.url, databaseUrl: postgres.url },
      gatewayEnv: env,
      workerEnv: env,
    });
    stripe.sandbox.marker = marker;
    system = stripe.system;
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => {
    await stripe?.[Symbol.asyncDispose]();
    await Promise.all([collector?.[Symbol.asyncDispose](), redis?.[Symbol.asyncDispose](), postgres?.[Symbol.asyncDispose]()]);
    dir.remove();
  });

  const links = () => stripe.sandbox.ledger.links;
  const at = (n: number) => user.at(system.gateways[n % 2]?.url ?? '');

  test('100 relink calls at the same time are one link', async () => {
    stripe.sandbox.reset();
    stripe.sandbox.latencyMs = 300;
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => at(n).post(relink, wish(0))));
    stripe.sandbox.latencyMs = 0;
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => urlIn(body)))).toEqual(new Set([links()[0]?.url]));
    expect(links()).toHaveLength(1);
    expect(stripe.sandbox.ledger.calls).toHaveLength(1);
  });

  test('100 login calls at the same time are 100 links, each handed to one', async () => {
    stripe.sandbox.reset();
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => at(n).post(login, { stripe_account_id: 'acct_ok' })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => urlIn(body))).size).toBe(100);
    expect(new Set(links().map(({ url }) => url))).toEqual(new Set(replies.map(({ body }) => urlIn(body))));
  });

  test.each([
    ['relink', relink, wish(1)],
    ['login link', login, { stripe_account_id: 'acct_ok' }],
  ])('a worker killed after the effect and before the answer makes one %s', async (_what, path, body) => {
    stripe.sandbox.reset();
    // Whichever worker asks is never answered, and made its link.
    stripe.sandbox.faults.add({ kind: 'hang-after' });
    const { links: job } = (await user.post(path.replace('/stripe/', '/tools/'), body, { prefer: 'respond-async' })).as(acceptedShape);
    await eventually(() => links().length === 1);
    await system.killWorkers(...system.workers);
    await Promise.all(system.workers.map((worker) => worker.start()));
    const done = await eventually(
      async () => {
        const reply = await user.get(`${job.self}?wait=5`);
        return reply.text.includes('"state":"completed"') ? reply : null;
      },
      { withinMs: 25_000, what: 'the job taken up again' },
    );
    expect(done.text).toContain(links()[0]?.url);
    expect(links()).toHaveLength(1);
    expect(stripe.sandbox.ledger.calls).toHaveLength(2);
    expect(new Set(stripe.sandbox.ledger.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test('after hundreds of links and every fault no link is anywhere but with its caller', async () => {
    stripe.sandbox.reset();
    const faults: readonly FaultInput[] = [
      { kind: 'reset-before', times: 5 },
      { kind: 'reset-after', times: 10 },
      { kind: 'status', status: 500, times: 5 },
      { kind: 'status', status: 500, saved: true, headers: { 'stripe-should-retry': 'false' }, times: 3 },
      { kind: 'rate-limit', retryAfter: '1', times: 5 },
      { kind: 'html', times: 5 },
      { kind: 'truncated', times: 10 },
      { kind: 'short', times: 10 },
      { kind: 'wrong-shape', times: 3 },
      { kind: 'foreign-link', origin: 'https://evil.example', times: 6 },
      { kind: 'hang-after', times: 4 },
      { kind: 'drip', everyMs: 50, times: 2 },
      { kind: 'huge', bytes: 3_000_000, times: 2 },
    ];
    for (const fault of faults) stripe.sandbox.faults.add(fault);
    const doors: readonly ((n: number) => Promise<string>)[] = [
      async (n) => (await at(n).post(relink, wish(n + 10))).text,
      async (n) => (await at(n).post(login, { stripe_account_id: 'acct_ok' })).text,
      async (n) =>
        (await at(n).call('express_dashboard_login_link', { stripe_account_id: 'acct_ok' }, { 'idempotency-key': `canary-${n}` })).text,
      async (n) => {
        await using stream = await at(n).stream('/tools/connect_generate_relink_url/sse', { method: 'POST', json: wish(n + 10) });
        return JSON.stringify(await stream.rest());
      },
      async (n) => {
        const { links: job } = (
          await at(n).post('/tools/express_dashboard_login_link', { stripe_account_id: 'acct_ok' }, { prefer: 'respond-async' })
        ).as(acceptedShape);
        // Some are never fetched: their secrets wait, sealed.
        return n % 4 === 0 ? '' : (await at(n + 1).get(`${job.self}?wait=30`)).text;
      },
    ];
    const answers: string[] = [];
    // In waves, so that a busy machine is not what is tested.
    for (let n = 0; n < 300; n += 30)
      answers.push(
        ...(await Promise.all(Array.from({ length: 30 }, (_, i) => doors[(n + i) % doors.length]?.(n + i) ?? Promise.resolve('')))),
      );
    expect(answers.filter((text) => text.includes(marker)).length).toBeGreaterThan(200);
    expect(links().length).toBeGreaterThan(250);

    // Logs, spans and the append-only file are written behind.
    await eventually(() => collector.received.includes('express_dashboard_login_link'), { what: 'spans at the collector' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const admin = await system.admin();
    const board = await Promise.all(
      ['latest', 'completed', 'failed'].map((status) =>
        admin.get(`/admin/queues/api/queues?activeQueue=stripe&status=${status}&page=1&jobsPerPage=500`),
      ),
    );
    const metrics = await Promise.all([
      ...system.gateways.map((app) => admin.at(app.url).get('/metrics')),
      ...system.workers.map((app) => system.anonymous.at(app.url).get('/metrics')),
    ]);
    const jobs = await user.get('/jobs?limit=100');
    const traces = await Promise.all(
      system
        .logs()
        .filter((line) => line.event === 'call-end')
        .slice(-20)
        .map((line) => admin.get(`/traces/${String(line['trace_id'])}`)),
    );
    const tables = await stripe.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
    const rows = await Promise.all(tables.map(({ table_name: name }) => stripe.sql(`SELECT * FROM "${String(name)}"`)));
    const places = {
      redis: await system.redis.everything(),
      'files of the stores': filesIn(dir.path),
      postgres: JSON.stringify(rows),
      printed: [...system.gateways, ...system.workers].map((app) => app.printed).join('\n'),
      spans: collector.received,
      traces: traces.map(({ text }) => text).join('\n'),
      board: board.map(({ text }) => text).join('\n'),
      metrics: metrics.map(({ text }) => text).join('\n'),
      'the list of jobs': jobs.text,
    };
    for (const [place, text] of Object.entries(places)) {
      // Not an empty place: each has something of these calls in it.
      expect([place, text.length > 1_000]).toEqual([place, true]);
      expect([place, text.includes(marker), text.includes('connect.stripe.com')]).toEqual([place, false, false]);
    }
    expect(places.redis).toContain('sealed.');
    expect(places.printed).toContain('"account_id":"acct_ok"');
    expect(places.board).toContain('"name":"connect_');
  }, 90_000);
});

/** Everything that the stores have written, the append-only file among it. */
function filesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
