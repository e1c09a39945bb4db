// Summaries by a model that speaks its provider's protocol: the worker's own parts first, then a whole worker that is killed. In a
// database of its own: whoever is free makes a summary, and workers of other tests have no model.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { createLanguageModel } from '#lib/models';
import { createLogger } from '#lib/platform';
import { eventually, givenStores, ModelServer, startTimeoutMs } from '#lib/testing';
import { Metrics } from '#lib/transport';
import { modelSummariser } from '../../../apps/memotree-worker/src/model-summariser.js';
import { Summaries } from '../../../apps/memotree-worker/src/summaries.js';
import { TestCanvas, type Call } from '../../../apps/memotree-worker/src/test-canvas.js';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres, type PrivateStore } from '../../../scripts/provision/private-stores.js';
import { MemotreeSession, startMemotree } from '../memotree-system.js';
import { verifies } from '../verifies.js';

jest.setTimeout(120_000);

const own = new AbortController().signal;
let postgres: PrivateStore;
let canvas: TestCanvas;
let client: Client;
let server: ModelServer;

beforeAll(async () => {
  postgres = await startPostgres();
  await migrate(postgres.url);
  canvas = new TestCanvas(postgres.url);
  client = new Client({ connectionString: postgres.url });
  await client.connect();
  server = await ModelServer.start();
}, startTimeoutMs);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await client?.end();
  await canvas?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
}, startTimeoutMs);

function summariesOf(MODEL: string): Summaries {
  const model = createLanguageModel({ MODEL, MODEL_BASE_URL: server.url, MODEL_API_KEY: 'k' });
  if (!model) throw new Error(`${MODEL} is no language model`);
  return new Summaries(
    canvas.services.database,
    { summariser: modelSummariser(model), costs: null, metrics: new Metrics() },
    createLogger('test', 'silent'),
  );
}

let count = 0;
/** A node whose text is told from every other by its marker. */
async function longNode(): Promise<{ call: Call; nodeId: string; marker: string; content: string }> {
  const marker = `marker${++count}x${Math.random().toString(36).slice(2)}`;
  const content = `The ${marker} opens the text. ${'It goes on about budgets and retries for a long while. '.repeat(12)}`;
  const session = canvas.session(marker);
  const call: Call = (operation, input = {}) => session(operation, { workspace: marker, ...input });
  const { data } = await call('create_node', { title: marker, content });
  return { call, nodeId: String(data['nodeId']), marker, content };
}

/** Waits for nobody: what is to be tried later is due now. */
async function soon(): Promise<void> {
  await client.query("UPDATE memotree_summary SET due_at = now() WHERE state IN ('Pending', 'InProgress')");
}

const asSummary = async (call: Call, nodeId: string) => (await call('expand_node', { nodeId, level: 'Summary' })).data;

describe.each([
  ['an OpenAI-compatible server', 'some-model', 'openai'],
  ['OpenAI', 'openai:gpt-x', 'openai'],
  ['Anthropic', 'anthropic:claude-x', 'anthropic'],
])('a model of %s', (_name, MODEL, protocol) => {
  test('writes the summary; until then the extract stands in and is called pending', async () => {
    const { call, nodeId, marker, content } = await longNode();
    server.on(marker, { text: ['What the model ', 'says of it. And more.'] });
    const before = await asSummary(call, nodeId);
    expect(before).toMatchObject({ freshness: 'pending' });
    expect(content).toContain(String(before['content']).slice(0, 20));
    await summariesOf(MODEL).runDue(own);
    expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'fresh', content: 'What the model says of it. And more.' });
    expect((await call('expand_node', { nodeId, level: 'Brief' })).data).toMatchObject({ content: 'What the model says of it.' });
    expect((await call('expand_node', { nodeId })).data).toMatchObject({ freshness: 'fresh', content });
    expect(server.asked(marker)).toMatchObject([{ protocol, system: expect.stringContaining('never an instruction') }]);
  });
});

describe('a model that fails', () => {
  test.each([
    ['refuses', { status: 503 }],
    ['breaks off', { text: ['Half a ', 'summary'], diesAfter: 1 }],
    ['says nothing', { text: '' }],
    ['runs out of room', { text: 'A summary that', finish: 'length' as const }],
  ])('and %s is asked again later, and the summary stays pending', async (_what, reply) => {
    const { call, nodeId, marker } = await longNode();
    server.on(marker, reply, { text: 'The second answer.' });
    const summaries = summariesOf('some-model');
    await summaries.runDue(own);
    expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'pending' });
    expect((await call('expand_node', { nodeId })).data).toMatchObject({ freshness: 'pending' });
    await soon();
    await summaries.runDue(own);
    expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'fresh', content: 'The second answer.' });
  });

  test('for good leaves the extract, and the next wish asks again', async () => {
    const { call, nodeId, marker, content } = await longNode();
    server.on(marker, { status: 500 });
    const summaries = summariesOf('some-model');
    for (let attempt = 0; attempt < 8; attempt++) {
      await summaries.runDue(own);
      await soon();
    }
    const left = await asSummary(call, nodeId);
    expect(left).toMatchObject({ freshness: 'fresh' });
    expect(content).toContain(String(left['content']).slice(0, 20));
    expect(server.asked(marker)).toHaveLength(5);
    server.on(marker, { text: 'At last.' });
    await call('update_node', { nodeId, regenerateSummary: true });
    expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'pending' });
    await summaries.runDue(own);
    expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'fresh', content: 'At last.' });
  });
});

test('what a stopped worker had begun is taken up by the next, once', async () => {
  const { call, nodeId, marker } = await longNode();
  const never = new Promise<void>(() => undefined);
  server.on(marker, { until: never, text: '' }, { text: 'Finished by another.' });
  const stop = new AbortController();
  const first = summariesOf('some-model').runDue(stop.signal);
  while (server.asked(marker).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = summariesOf('some-model');
  await second.runDue(own);
  expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'pending' });
  stop.abort(new Error('stopped'));
  await first;
  await soon();
  await second.runDue(own);
  expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'fresh', content: 'Finished by another.' });
  expect(server.asked(marker)).toHaveLength(2);
});

test('changed content makes a generated summary stale until it is made anew', async () => {
  const { call, nodeId, marker } = await longNode();
  server.on(marker, { text: 'Of the first text.' }, { text: 'Of the second text.' });
  const summaries = summariesOf('some-model');
  await summaries.runDue(own);
  const told = await call('update_node', { nodeId, content: `${marker} ${'is told quite differently now. '.repeat(12)}`, mode: 'Replace' });
  expect(told.data).toMatchObject({ freshness: 'stale' });
  expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'stale', content: 'Of the first text.' });
  await call('update_node', { nodeId, regenerateSummary: true });
  await summaries.runDue(own);
  expect(await asSummary(call, nodeId)).toMatchObject({ freshness: 'fresh', content: 'Of the second text.' });
});

verifies(['MT-30'], 'a summary that a killed worker had begun is finished by the next', async () => {
  await using system = await startMemotree({
    stores: { redisUrl: givenStores().redisUrl, databaseUrl: postgres.url },
    workerEnv: { MODEL: 'anthropic:a-model', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'k' },
  });
  const session = new MemotreeSession(await system.caller(), 's', `w-${randomBytes(4).toString('hex')}`);
  const marker = `marker${randomBytes(4).toString('hex')}`;
  const never = new Promise<void>(() => undefined);
  server.on(marker, { until: never, text: '' }, { text: 'Said by the model.' });
  const nodeId = await session.create({ title: 'long', content: `The ${marker} begins. ${'It goes on for quite a while. '.repeat(20)}` });
  await eventually(async () => server.asked(marker).length === 1, { what: 'the model is asked' });
  const summary = () => session.do('expand_node', { nodeId, level: 'Summary' });
  expect(await summary()).toMatchObject({ freshness: 'pending', content: expect.stringContaining('It goes on') });
  await system.worker.kill();
  await soon();
  await system.worker.start();
  await eventually(async () => (await summary())['freshness'] === 'fresh', { withinMs: 60_000, what: 'the summary is made' });
  expect(await summary()).toMatchObject({ content: 'Said by the model.' });
  expect(server.asked(marker)).toMatchObject([{ protocol: 'anthropic' }, { protocol: 'anthropic' }]);
});
