// The example of docs/how-to/tools-that-wait.md, as it stands there: its worker is killed between its lines, and no finished step is done again.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { stripTypeScriptTypes } from 'node:module';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { acceptedShape, eventually, HttpCaller, jobShape, startSystem, startTimeoutMs, type System } from '#lib/testing';

const page = readFileSync('docs/how-to/tools-that-wait.md', 'utf8');
const invoice = z.object({ callWhenPaid: z.string() });

/** What the shop was asked for, in this order. */
let asked: string[] = [];
let hookUrl = '';
/** Called when the shop is asked for something, before it answers. */
let onAsked: (path: string) => void = () => undefined;
let system: System;
let shop: Server;
let folder: string;
let worker: ChildProcess | null = null;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  shop = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push(request.url ?? '');
      const parsed = invoice.safeParse(body);
      if (parsed.success) hookUrl = parsed.data.callWhenPaid;
      onAsked(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: `id of ${request.url}` }));
    });
  });
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  system = started.use(await startSystem({ gateways: 1, workers: 0 }));
  folder = mkdtempSync('dist/tools-that-wait-');
  const [, example = ''] = /```ts\n([\s\S]+?)```/.exec(page) ?? [];
  const quick = example.replace('const day = 86_400_000;', 'const day = 1_500;').replace("'@invoq/worker'", "'../libs/serve/src/index.js'");
  expect(quick).toContain('1_500');
  writeFileSync(join(folder, 'order-book.mjs'), stripTypeScriptTypes(quick));
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { serve } from '../libs/serve/src/index.js';
import { orderBook } from './order-book.mjs';
const { INVOQ_URL: url, INVOQ_API_KEY: key } = process.env;
await serve({ tools: [orderBook], url, key, domain: 'books' }).stopped;`,
  );
}, startTimeoutMs);

afterEach(async () => kill());

afterAll(async () => {
  shop.close();
  rmSync(folder, { recursive: true, force: true });
  await started.disposeAsync();
});

async function start(): Promise<void> {
  const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], serves: ['books'], approvesTools: true });
  const address = shop.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const env = { ...process.env, INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key, SHOP: `http://127.0.0.1:${port}` };
  worker = spawn(process.execPath, [join(folder, 'main.mjs')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(worker, 'spawn');
}

async function kill(): Promise<void> {
  const dying = worker;
  worker = null;
  if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
  dying.kill('SIGKILL');
  await once(dying, 'exit');
}

const lines = ['/orders', '/invoices', 'waits to be paid', 'waits to be packed', '/parcels'] as const;

test.each(lines)(
  'killed at the line %s',
  async (line) => {
    [asked, hookUrl] = [[], ''];
    const user = await system.caller();
    let isKilled = false;
    onAsked = (path) => {
      // What is finished before this line must not be done again.
      if (path === line && !isKilled) {
        isKilled = true;
        worker?.kill('SIGKILL');
      }
    };
    await start();
    const begin = async () => {
      const answer = await user.post('/tools/order_book', { title: 'Emma' }, { prefer: 'respond-async' });
      return answer.status === 202 && answer.as(acceptedShape).job_id;
    };
    const id = await eventually(begin, { withinMs: 30_000, what: 'the tool' });
    const read = async () => (await user.get(`/jobs/${id}`)).as(jobShape.loose());
    const restsFor = async (reason: string) =>
      eventually(async () => JSON.stringify((await read())['rest'] ?? {}).includes(`"${reason}"`), { withinMs: 30_000, what: reason });
    const again = async () => {
      await kill();
      await start();
    };
    if (line === '/orders' || line === '/invoices') {
      await eventually(() => isKilled, { withinMs: 20_000, what: line });
      await again();
    }
    await restsFor('event');
    if (line === 'waits to be paid') await again();
    expect((await new HttpCaller(system.gateway.url, null).post(new URL(hookUrl).pathname, { paid: 12 })).status).toBe(202);
    if (line === 'waits to be packed') {
      await restsFor('sleep');
      await again();
    }
    if (line === '/parcels') {
      await eventually(() => isKilled, { withinMs: 20_000, what: line });
      await again();
    }
    const { result } = (await user.get(`/jobs/${id}?wait=60`)).as(jobShape);
    expect(result).toMatchObject({ success: true, data: { order: 'id of /orders', parcel: 'id of /parcels' } });
    // The step that was cut off is done again, and none that was finished.
    const wanted = ['/orders', '/invoices', '/parcels'].flatMap((path) => (path === line ? [path, path] : [path]));
    expect(asked).toEqual(wanted);
  },
  90_000,
);
