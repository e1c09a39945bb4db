import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Failure } from '#lib/handlers';
import { createLogger } from '#lib/platform';
import { eventually, givenStores, newNamespace, testRedis } from '#lib/testing';
import { HistoryStream, Metrics, partitionOf, RedisKeys } from '#lib/transport';
import { requestSummaries, Summaries, type Summariser } from './summaries.js';
import { SummaryCosts } from './summary-costs.js';
import { TestCanvas } from './test-canvas.js';
import { writeTexts, textHash } from './store/write-versions.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const log = createLogger('test', 'silent');
const never = new AbortController().signal;

interface Row {
  readonly state: string;
  readonly attempts: number;
  readonly summary: string | null;
  readonly method: string | null;
  readonly dueInSeconds: number;
}

/** A workspace with one text whose summary was asked for. */
async function givenTask(text = `text ${Math.random()}`) {
  const { database } = canvas.services;
  // What other tests left to do would be taken up first.
  await database.$executeRaw`DELETE FROM memotree_summary`;
  const [workspace] = await database.$queryRaw<{ id: number }[]>`
    INSERT INTO memotree_workspace (tenant_id, name) VALUES (${canvas.tenantId}, ${`s${Math.random()}`}) RETURNING id`;
  const id = workspace?.id ?? 0;
  await writeTexts(database, id, [text]);
  await requestSummaries(database, id, [textHash(text)]);
  const row = async (): Promise<Row | undefined> =>
    (
      await database.$queryRaw<Row[]>`
        SELECT state::text, attempts, summary, method, extract(epoch FROM due_at - now())::float AS "dueInSeconds"
        FROM memotree_summary WHERE workspace_id = ${id}::int AND source_hash = ${textHash(text)}`
    )[0];
  const setDue = (seconds: number) =>
    database.$executeRaw`UPDATE memotree_summary SET due_at = now() + make_interval(secs => ${seconds}::int) WHERE workspace_id = ${id}::int`;
  return { id, text, row, setDue, ask: () => requestSummaries(database, id, [textHash(text)]) };
}

const made: Summariser = { name: 'made', summarise: async (text) => ({ summary: `summary of ${text}`, brief: 'brief' }) };
const broken: Summariser = { name: 'broken', summarise: () => Promise.reject(new Error('no model')) };
const summaries = (summariser: Summariser) =>
  new Summaries(canvas.services.database, { summariser, costs: null, metrics: new Metrics() }, log);

describe('a summary that was asked for', () => {
  test('is made, and says by what', async () => {
    const task = await givenTask();
    expect(await task.row()).toMatchObject({ state: 'Pending', attempts: 0, summary: null });
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Completed', summary: `summary of ${task.text}`, method: 'made' });
  });

  test('twice is made once', async () => {
    const task = await givenTask();
    await task.ask();
    await summaries(made).runDue(never);
    await task.ask();
    expect(await task.row()).toMatchObject({ state: 'Completed', attempts: 1 });
  });

  test('is not made before it is due', async () => {
    const task = await givenTask();
    await task.setDue(5);
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Pending' });
    await task.setDue(0);
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Completed' });
  });

  test('is made by one of many workers', async () => {
    const task = await givenTask();
    let runs = 0;
    const counting: Summariser = { name: 'counting', summarise: async (text) => ({ summary: `${text} ${++runs}`, brief: '' }) };
    await Promise.all([summaries(counting), summaries(counting), summaries(counting)].map((one) => one.runDue(never)));
    expect([runs, (await task.row())?.attempts]).toEqual([1, 1]);
  });
});

describe('a summary that fails', () => {
  test.each([
    [1, 2],
    [2, 4],
    [4, 16],
  ])('for the %ith time is tried again after %i seconds', async (attempts, seconds) => {
    const task = await givenTask();
    await canvas.services.database
      .$executeRaw`UPDATE memotree_summary SET attempts = ${attempts - 1}::int WHERE workspace_id = ${task.id}::int`;
    await summaries(broken).runDue(never);
    const row = await task.row();
    expect(row).toMatchObject({ state: 'Pending', attempts });
    expect(row?.dueInSeconds).toBeGreaterThan(seconds - 2);
    expect(row?.dueInSeconds).toBeLessThanOrEqual(seconds);
  });

  test('for the fifth time is given up, until it is asked for again', async () => {
    const task = await givenTask();
    await canvas.services.database.$executeRaw`UPDATE memotree_summary SET attempts = 4 WHERE workspace_id = ${task.id}::int`;
    await summaries(broken).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Failed', attempts: 5 });
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Failed' });
    await task.ask();
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Completed', attempts: 1 });
  });
});

describe('a worker that dies', () => {
  test('loses its task to another once its lease has run out', async () => {
    const task = await givenTask();
    const stop = new AbortController();
    const hanging: Summariser = {
      name: 'hanging',
      summarise: (_text, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })),
    };
    const running = summaries(hanging).runDue(stop.signal);
    await eventually(async () => (await task.row())?.state === 'InProgress');
    // Another worker finds nothing to do: the lease holds.
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'InProgress', attempts: 1 });
    stop.abort();
    await running;
    expect(await task.row()).toMatchObject({ state: 'InProgress' });
    await task.setDue(0);
    await summaries(made).runDue(never);
    expect(await task.row()).toMatchObject({ state: 'Completed', attempts: 2 });
  });
});

test('nothing is asked for an empty list', async () => {
  await canvas.services.database.$executeRaw`DELETE FROM memotree_summary`;
  await requestSummaries(canvas.services.database, 1, []);
  expect(await canvas.services.database.$queryRaw`SELECT 1 FROM memotree_summary`).toEqual([]);
});

const namespace = newNamespace();
const redis = testRedis(namespace);
afterAll(async () => redis[Symbol.asyncDispose]());
const ended = new HistoryStream(redis, new RedisKeys(namespace));
const partition = partitionOf('memotree');
const usage = {
  inputTokens: { total: 1_000, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 50, text: undefined, reasoning: undefined },
};

/** A task of a tenant without budgets, of which nothing is recorded. */
async function costing() {
  await canvas.services.database.$executeRaw`DELETE FROM budget WHERE tenant_id = ${canvas.tenantId}`;
  await ended.drop(await ended.read(partition, 1_000));
  return givenTask();
}

function priced(summarise: Summariser['summarise'], { price = 7 as number | null } = {}): Summaries {
  const { database } = canvas.services;
  const priceOf = price === null ? null : () => price;
  const costs = new SummaryCosts({ database, ended, model: 'small', priceOf, now: Date.now });
  return new Summaries(
    database,
    { summariser: { name: 'small', summarise }, costs, metrics: new Metrics() },
    createLogger('test', 'silent'),
  );
}

const recorded = async () => (await ended.read(partition, 100)).flatMap(({ calls }) => calls ?? []);
const good: Summariser['summarise'] = async (_text, { onUsage }) => {
  onUsage(usage);
  return { summary: 's', brief: 'b' };
};
const put = async (change: { readonly tool?: string; readonly user?: string; readonly micros?: number; readonly calls?: number }) =>
  canvas.services.database.$executeRaw`
    INSERT INTO budget (tenant_id, name, tool, user_id, period, time_zone, limit_micros, limit_calls, warn_at)
    VALUES (${canvas.tenantId}, ${`b${Math.random()}`}, ${change.tool ?? null}, ${change.user ?? null}, 'day', 'Asia/Shanghai',
      ${change.micros ?? null}, ${change.calls ?? null}, 0.8)`;

test('A summary by a model costs its tenant what its tokens do', async () => {
  await costing();
  await priced(good).runDue(never);
  expect(await recorded()).toMatchObject([
    {
      tenant_id: canvas.tenantId,
      tool_name: 'memotree_summary',
      state: 'completed',
      user_id: null,
      model: 'small',
      input_tokens: 1_000,
      output_tokens: 50,
      cost_micros: 7,
      background: true,
    },
  ]);
});

test('an answer that is no good is paid for too; a model that breaks off says nothing of what it took', async () => {
  const { row } = await costing();
  await priced(async (_text, { onUsage }) => {
    onUsage(usage);
    throw new Failure('service', 'it was cut');
  }).runDue(never);
  expect(await row()).toMatchObject({ state: 'Pending', attempts: 1 });
  expect(await recorded()).toMatchObject([{ state: 'failed', code: 'EXECUTION_ERROR', cost_micros: 7 }]);
  await costing();
  await priced(async () => Promise.reject(new Failure('service', 'broke off'))).runDue(never);
  expect(await recorded()).toEqual([]);
});

test.each([
  ['of money', { micros: 0 }, {}, false],
  ['of money, for a model without a price', { micros: 0 }, { price: null }, true],
  ['of calls', { calls: 0 }, { price: null }, false],
  ['of these summaries', { tool: 'memotree_summary', calls: 0 }, {}, false],
  ['of another tool', { tool: 'calc_metrics', calls: 0 }, {}, true],
  ['of a user', { user: 'somebody', micros: 0 }, {}, true],
  ['with room', { micros: 1 }, {}, true],
] as const)('A budget %s', async (_what, change, price, isMade) => {
  const { row, setDue } = await costing();
  await put(change);
  let asked = 0;
  const counting: Summariser['summarise'] = async (...of) => (asked++, good(...of));
  await priced(counting, price).runDue(never);
  expect(asked).toBe(isMade ? 1 : 0);
  const left = await row();
  expect(left?.state).toBe(isMade ? 'Completed' : 'Pending');
  if (isMade) return;
  // It is no failed attempt, and is looked at again in some minutes.
  expect(left?.attempts).toBe(0);
  expect(left?.dueInSeconds).toBeGreaterThan(200);
  await canvas.services.database.$executeRaw`DELETE FROM budget WHERE tenant_id = ${canvas.tenantId}`;
  await setDue(0);
  await priced(counting, price).runDue(never);
  expect([asked, (await row())?.state]).toEqual([1, 'Completed']);
});
