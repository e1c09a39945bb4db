// One tenant sends the worst texts that we know, as many at once as it may. Another tenant's calls are answered in between.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { givenStores, HttpCaller, startSystem, startTimeoutMs, Tenant, type System } from '#lib/testing';
import { hostileHtml, hostileMarkdown, pdfBomb } from '../hostile-texts.js';

const attackers = 12;
const attackMs = 6_000;
/** A text on the thread of a worker stops it for longer, and so does a tenant that holds what others need. */
const mostMs = { calls: 3_000, probe: 1_000 };

let system: System;
let hostile: HttpCaller;
let neighbourTenant: Tenant;
let neighbour: HttpCaller;

beforeAll(async () => {
  system = await startSystem({
    mains: { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/memotree-worker/src/main.js' },
    more: [{ main: 'dist/apps/knowledge-worker/src/main.js' }],
  });
  hostile = (await system.caller({ tier: 'vip', userId: null, scopes: ['*'] })).with({ 'x-session-id': 'h' });
  neighbourTenant = await Tenant.create(givenStores().databaseUrl);
  const key = await neighbourTenant.key({ tier: 'vip', userId: null, scopes: ['*'] });
  neighbour = new HttpCaller(system.gateway.url, key, { 'x-session-id': 'n' });
}, startTimeoutMs);
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await neighbourTenant?.[Symbol.asyncDispose]();
});

/** Calls one after the other until the attack is over; each must succeed. @returns the times of the calls in ms, shortest first */
async function timesOf(call: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (const end = performance.now() + attackMs; performance.now() < end; await sleep(20)) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b);
}

/** A call of the hostile tenant. */
interface Attack {
  readonly tool: string;
  readonly input: object;
}

/**
 * Sends the calls round and round, as many at once as there are attackers, while the work runs, and hangs up when it is over.
 * @returns the statuses of the answers
 */
async function underAttack(calls: readonly Attack[], work: () => Promise<void>): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  const hangUp = new AbortController();
  const send = async ({ tool, input }: Attack): Promise<number> => {
    const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(60_000)]);
    return (await hostile.request(`/tools/${tool}`, { method: 'POST', json: input, signal })).status;
  };
  let next = 0;
  const attack = async (): Promise<void> => {
    while (!hangUp.signal.aborted) {
      const call = calls[next++ % calls.length];
      // A call that its sender has given up counts as 0.
      if (call) statuses.add(await send(call).catch(() => 0));
    }
  };
  const attacking = Array.from({ length: attackers }, attack);
  await sleep(500);
  await work().finally(() => hangUp.abort());
  await Promise.all(attacking);
  return statuses;
}

async function succeed(tool: string, input: object): Promise<void> {
  const { status, text } = await neighbour.call(tool, input);
  if (status !== 200) throw new Error(`${tool} answered ${status}: ${text.slice(0, 500)}`);
}

async function isEmbedded(): Promise<boolean> {
  const client = new Client({ connectionString: givenStores().databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ version: string }>('SELECT version()');
  await client.end();
  return rows.some(({ version }) => /emscripten|wasm/i.test(version));
}

async function healthz(worker: string): Promise<void> {
  const response = await fetch(`${worker}/healthz`);
  expect(response.status).toBe(200);
  await response.body?.cancel();
}

/** Probes of the worker, and calls of the neighbour at the same time. */
async function expectService(own: () => Promise<void>, worker: string): Promise<void> {
  const [calls, probes] = await Promise.all([timesOf(own), timesOf(() => healthz(worker))]);
  const at = (times: readonly number[], share: number): number => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
  expect(at(calls, 0.5)).toBeLessThan(mostMs.calls);
  expect(at(probes, 0.95)).toBeLessThan(mostMs.probe);
}

describe('while one tenant sends hostile texts', () => {
  test('another tenant’s calls of MemoTree and its worker’s probes are answered', async () => {
    const created = await hostile.call('create_node', { title: 't', content: '# a\n\ntext' });
    const { nodeId } = z.object({ nodeId: z.string() }).parse(created.envelope.data);
    const calls = Object.values(hostileMarkdown).flatMap((text) => [
      { tool: 'import_markdown', input: { files: [{ path: 'a.md', text }] } },
      { tool: 'update_node', input: { nodeId, content: text, mode: 'Merge' } },
      { tool: 'batch_update_nodes', input: { updates: Array.from({ length: 20 }, () => ({ nodeId, content: text, mode: 'Merge' })) } },
    ]);
    const own = async (): Promise<void> => {
      await succeed('search_nodes', { query: 'sleep' });
      await succeed('import_markdown', { files: [{ path: 'sleep.md', text: '# Sleep\n\n- seven hours\n' }] });
    };
    await own();
    // The embedded Postgres runs one transaction at a time, for all clients: writes do hold up others there.
    const canMeasure = !(await isEmbedded());
    const statuses = await underAttack(calls, () => expectService(canMeasure ? own : async () => undefined, system.worker.url));
    expect([...statuses].filter((status) => ![0, 200, 400, 409, 429, 504].includes(status))).toEqual([]);
  }, 120_000);

  test('another tenant’s searches and imports of knowledge, and the worker’s probes, are answered', async () => {
    const documents = [
      ...Object.entries(hostileHtml).map(([name, content]) => ({ path: `${name}.html`, content })),
      ...Object.entries(hostileMarkdown).map(([name, content]) => ({ path: `${name}.md`, content })),
      { path: 'unfolds.pdf', content: pdfBomb(5_000, 2 ** 20).toString('base64'), encoding: 'base64' },
      { path: 'large.pdf', content: pdfBomb(1, 2 ** 28).toString('base64'), encoding: 'base64' },
    ];
    const calls = documents.map((document) => ({ tool: 'import_documents', input: { collection: 'c', documents: [document] } }));
    const own = async (): Promise<void> => {
      const content = `# Sleep\n\nSeven hours. ${Math.random()}`;
      await succeed('import_documents', { collection: 'c', documents: [{ path: 'a.md', content }] });
      await succeed('search_knowledge', { query: 'sleep', collection: 'c' });
    };
    await own();
    const [worker] = system.more;
    const statuses = await underAttack(calls, () => expectService(own, worker?.url ?? ''));
    expect([...statuses].filter((status) => ![0, 200, 429, 504].includes(status))).toEqual([]);
  }, 120_000);
});
