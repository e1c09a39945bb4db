// `npm run bench:serve`: a tool that a tenant's worker serves beside the same tool of our own, and very many workers at one gateway.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { print, runScript, step } from '#lib/command-line';
import { HttpCaller, startSystem } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { closedLoop, type Sample } from '../load/closed-loop.js';
import { HttpConnection, postHead } from '../load/http-connection.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { commandCounts } from '../profile/redis-commands.js';
import { ForkedProcess } from '../system/forked-process.js';
import { productionEnv } from '../system/production.js';
import { rssMbOf } from '../system/usage.js';
import { connectMany } from './many-workers.js';
import { compareTransports } from './transports.js';

const help = `A served tool beside the same tool of our own, in turns; then many workers at one gateway.

  npm run bench:serve -- [--rounds 5] [--seconds 4] [--workers 1000]
  npm run bench:serve -- --transports [--rounds 5] [--seconds 4]       what could carry the attempts, beside each other
`;
const tools = ['calc_metrics', 'calc_metrics_served'] as const;
const callerCounts = [1, 16];
const scripts = ['evalsha', 'eval', 'fcall'];

interface Measured extends Sample {
  readonly scripts: number;
  readonly commands: number;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      workers: { type: 'string', default: '1000' },
      transports: { type: 'boolean', default: false },
    },
  });
  const [rounds, seconds, count] = [values.rounds, values.seconds, values.workers].map(Number);
  if (values.transports) {
    await compareTransports(rounds ?? 1, (seconds ?? 1) * 1_000);
    return 0;
  }
  await using owner = new AsyncDisposableStack();
  const stores = owner.use(await step('Private stores', () => startStores()));
  const system = owner.use(await step('Our processes', () => startSystem({ stores, env: productionEnv })));
  const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  const env = { INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key };
  const worker = await step('A worker of the tenant', () => ForkedProcess.start({ program: 'serve/worker.js', env }, z.object({})));
  owner.use(worker.process);
  const redis = new Redis(stores.redisUrl);
  owner.defer(() => redis.disconnect());
  const apiKey = await system.tenant.key();

  const measure = async (tool: string, callers: number, ms: number): Promise<Measured> => {
    using connections = new DisposableStack();
    const head = postHead(`${system.gateway.url}/tools/${tool}`, { authorization: `Bearer ${apiKey}` });
    const opened = await Promise.all(Array.from({ length: callers }, () => HttpConnection.open(system.gateway.url)));
    const calls = opened.map((connection) => {
      connections.use(connection);
      return async () => {
        const answer = await connection.post(head, JSON.stringify(parametersOf(newWeight())));
        if (!answer.includes('"bmi"') || answer.includes('"hit":true')) throw new Error(`not what was asked for: ${answer.slice(0, 200)}`);
      };
    });
    const before = await commandCounts(redis);
    const sample = await closedLoop(calls, ms);
    const after = await commandCounts(redis);
    if (sample.failures > 0) throw new Error(`${tool}: ${sample.firstFailure ?? ''}`);
    const times = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + (after.get(name)?.calls ?? 0) - (before.get(name)?.calls ?? 0), 0) / sample.calls;
    return { ...sample, scripts: times(scripts), commands: times([...after.keys()]) };
  };

  await step('Warm-up', async () => {
    for (const tool of tools) await measure(tool, 16, 4_000);
  });
  print(`\nNode ${process.version}, ${availableParallelism()} processors; medians of ${rounds} rounds in turns.`);
  print('tool                    callers   calls/s    p50 ms    p99 ms   scripts  commands');
  for (const callers of callerCounts) {
    const all = new Map<string, Measured[]>(tools.map((tool) => [tool, []]));
    for (let round = 0; round < (rounds ?? 1); round++)
      for (const tool of tools) all.get(tool)?.push(await measure(tool, callers, (seconds ?? 1) * 1_000));
    for (const [tool, samples] of all) {
      const of = (figure: (one: Measured) => number) => samples.map(figure).toSorted((a, b) => a - b)[samples.length >> 1] ?? 0;
      const cells = [
        callers,
        of(({ calls, elapsedMs }) => (calls / elapsedMs) * 1_000).toFixed(0),
        of(({ p50Ms }) => p50Ms).toFixed(2),
        of(({ p99Ms }) => p99Ms).toFixed(2),
        of((one) => one.scripts).toFixed(2),
        of((one) => one.commands).toFixed(1),
      ];
      print(tool.padEnd(21) + cells.map((cell) => String(cell).padStart(10)).join(''));
    }
  }

  const rssMb = () => Math.round(rssMbOf(system.gateway.pid ?? 0) ?? 0);
  const before = rssMb();
  using many = await step(`${count} workers`, async () => connectMany(count ?? 0, { url: system.gateway.url, key: await secondKey() }));
  const sorted = many.connectMs.toSorted((a, b) => a - b);
  print(`\n${count} workers at one gateway, connected in ${(many.allMs / 1_000).toFixed(1)} s, 20 at a time:`);
  print(
    `  one connects in ${sorted[sorted.length >> 1]?.toFixed(0)} ms (median), ${sorted[Math.floor(sorted.length * 0.99)]?.toFixed(0)} ms (p99)`,
  );
  print(`  memory of the gateway ${before} MB before, ${rssMb()} MB after`);
  print(`  one more with the same key: ${many.refusal.slice(0, 200)}`);
  const user = new HttpCaller(system.gateway.url, apiKey);
  const times: number[] = [];
  for (let n = 0; n < 200; n++) {
    const began = performance.now();
    const { status, text } = await user.post('/tools/one_of_many', { n });
    if (status !== 200) throw new Error(text);
    times.push(performance.now() - began);
  }
  print(`  a call through them: ${times.toSorted((a, b) => a - b)[100]?.toFixed(1)} ms (median of 200)`);
  return 0;

  async function secondKey(): Promise<string> {
    return system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  }
}, help);
