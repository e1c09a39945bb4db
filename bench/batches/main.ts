// `npm run bench:batches`: a batch beside the same calls one by one, and what a neighbour notices of it.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { batch, startedBatch, type Batch } from '#lib/contracts';
import { print, runScript, step } from '#lib/command-line';
import { eventually, HttpCaller, startSystem, Tenant } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { HttpConnection, postHead } from '../load/http-connection.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { productionEnv } from '../system/production.js';

const help = `A batch beside the same calls one by one, and the latency of a call of another tenant alone and beside each of them.

  npm run bench:batches -- [--calls 10000] [--rounds 3] [--callers 16]
`;
const idleMs = 4_000;

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      callers: { type: 'string', default: '16' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const [count, rounds, callers] = [Number(values.calls), Number(values.rounds), Number(values.callers)];
  await using owner = new AsyncDisposableStack();
  const stores = owner.use(await step('Private stores', () => startStores()));
  const system = owner.use(await step('Our processes', () => startSystem({ stores, env: productionEnv })));
  const neighbours = owner.use(await Tenant.create(stores.databaseUrl));
  const [mine, others] = [await system.tenant.key(), await neighbours.key()];
  const { url } = system.gateway;
  const caller = new HttpCaller(url, mine);

  /** Calls as fast as they are answered, until so many were made. */
  const single = async (): Promise<number> => {
    let left = count;
    const began = performance.now();
    const connections = await Promise.all(Array.from({ length: callers }, () => HttpConnection.open(url)));
    const head = postHead(`${url}/tools/calc_metrics`, { authorization: `Bearer ${mine}` });
    await Promise.all(
      connections.map(async (connection) => {
        while (left-- > 0) await called(connection, head);
        connection[Symbol.dispose]();
      }),
    );
    return count / (performance.now() - began);
  };
  const started = async (): Promise<string> => {
    const calls = Array.from({ length: count }, () => JSON.stringify({ name: 'calc_metrics', arguments: parametersOf(newWeight()) }));
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await caller.request('/batches', { method: 'POST', raw: calls.join('\n'), headers });
    if (reply.status !== 202) throw new Error(reply.text);
    return reply.as(startedBatch).batch_id;
  };
  const ended = async (id: string): Promise<Batch> =>
    eventually(async () => endedIn((await caller.get(`/batches/${id}`)).as(batch)), { withinMs: 300_000, what: 'the end of the batch' });
  const whole = async (): Promise<number> => {
    const began = performance.now();
    const { completed } = await ended(await started());
    if (completed !== count) throw new Error(`${completed} of ${count} completed`);
    return count / (performance.now() - began);
  };
  await step('Warm-up', async () => {
    await single();
    await whole();
  });
  print(`\nNode ${process.version}, ${availableParallelism()} processors; ${count} calls, ${rounds} rounds in turns, medians.`);
  const alone: number[] = [];
  const together: number[] = [];
  const idle: Latency[] = [];
  const busy: Latency[] = [];
  const besideSingle: Latency[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push((await single()) * 1_000);
    together.push((await whole()) * 1_000);
    const idleUntil = performance.now() + idleMs;
    idle.push(await latencies(() => performance.now() > idleUntil));
    const id = await started();
    busy.push(await beside(ended(id)));
    besideSingle.push(await beside(single()));
  }
  print(`calls one by one, ${callers} callers   ${median(alone).toFixed(0)}/s`);
  print(`a batch, from its request on      ${median(together).toFixed(0)}/s   ${(median(together) / median(alone)).toFixed(2)} times`);
  for (const [name, samples] of [
    ['idle', idle],
    ['beside a batch', busy],
    ['beside callers', besideSingle],
  ] as const)
    print(
      `another tenant, ${name.padEnd(16)} p50 ${median(samples.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms   p99 ${median(samples.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms`,
    );
  return 0;

  async function beside(work: Promise<unknown>): Promise<Latency> {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    const found = await latencies(() => isOver);
    await over;
    return found;
  }

  async function latencies(until: () => boolean): Promise<Latency> {
    using connection = await HttpConnection.open(url);
    const head = postHead(`${url}/tools/calc_metrics`, { authorization: `Bearer ${others}` });
    const times: number[] = [];
    while (!until()) {
      const sentAt = performance.now();
      await called(connection, head);
      times.push(performance.now() - sentAt);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }
});

async function called(connection: HttpConnection, head: ReturnType<typeof postHead>): Promise<void> {
  const answer = await connection.post(head, JSON.stringify(parametersOf(newWeight())));
  if (!answer.includes('"bmi"')) throw new Error(`not what was asked for: ${answer.slice(0, 200)}`);
}

function endedIn(shown: Batch): Batch | null {
  return shown.finished_at === null ? null : shown;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
