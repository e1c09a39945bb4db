// `npm run bench:batches`: a batch beside the same calls one by one, and what a neighbour notices of it.
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { batch, startedBatch, type Batch } from '#lib/contracts';
import { print, runScript, step } from '#lib/command-line';
import { HttpCaller, startSystem, Tenant } from '#lib/testing';
import { migrate } from '../../scripts/provision/migrate.js';
import { startRedis, startStores, type PrivateStore } from '../../scripts/provision/private-stores.js';
import { HttpConnection, postHead } from '../load/http-connection.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { readProfile, selfTimes } from '../profile/cpu-profile.js';
import { commandCounts, commandLines } from '../profile/redis-commands.js';
import { productionEnv } from '../system/production.js';
import { cpuMsOf, machineCpuMs } from '../system/usage.js';

const help = `A batch beside the same calls one by one, and the latency of a call of another tenant alone and beside each of them.

  npm run bench:batches -- [--calls 10000] [--rounds 3] [--callers 16] [--database <url>] [--profile]

  --database <url>   an empty database of another Postgres, in place of the embedded one
  --profile          also what Redis does a call, and where gateway and worker spend their time
`;
const idleMs = 4_000;
const lookEveryMs = 250;
const samplingUs = 250;
const shownPlaces = 60;

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Processor time in ms by the name of its process. */
type Spent = ReadonlyMap<string, number>;

interface Run {
  readonly perSecond: number;
  readonly spent: Spent;
  /** What Redis did a call. */
  readonly commands: readonly string[];
  readonly fromUs: number;
  readonly toUs: number;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      callers: { type: 'string', default: '16' },
      database: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const [count, rounds, callers] = [Number(values.calls), Number(values.rounds), Number(values.callers)];
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-profile-'));
  const runs = await measure(values.profile ? folder.path : null);
  if (values.profile) for (const [name, { commands }] of Object.entries(runs)) print(`\n${name}, Redis a call:\n${commands.join('\n')}`);
  // Profiles are written when the processes have ended.
  for (const file of readdirSync(folder.path)) {
    const profile = readProfile(readFileSync(join(folder.path, file), 'utf8'), file);
    for (const [name, run] of Object.entries(runs)) {
      const { packages, functions } = selfTimes(profile, run);
      for (const places of [packages, functions]) {
        print(`\n${file}, ${name}, self µs a call:`);
        for (const { place, us } of places.slice(0, shownPlaces)) print(`${(us / count).toFixed(1).padStart(8)}  ${place}`);
      }
    }
  }
  return 0;

  async function measure(profiles: string | null): Promise<Readonly<Record<string, Run>>> {
    await using owner = new AsyncDisposableStack();
    const stores = owner.use(
      await step('Private stores', async (): Promise<Stores> =>
        values.database === undefined ? startStores() : storesWith(values.database),
      ),
    );
    const nodeOptions = profiles === null ? {} : { nodeOptions: (name: string) => profileOptions(name, profiles) };
    const redis = owner.adopt(new Redis(stores.redisUrl), (client) => client.disconnect());
    // It rewrites its file once in some thousand calls, and copies each page that calls touch meanwhile.
    await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
    const system = owner.use(await step('Our processes', () => startSystem({ stores, env: productionEnv, ...nodeOptions })));
    const neighbours = owner.use(await Tenant.create(stores.databaseUrl));
    const [mine, others] = [await system.tenant.key(), await neighbours.key()];
    const { url } = system.gateway;
    const caller = new HttpCaller(url, mine);
    const pids: readonly (readonly [string, number | undefined])[] = [
      ['gateway', system.gateway.pid],
      ['worker', system.worker.pid],
      ['Redis', stores.redis.pid],
      ['Postgres', stores.postgres?.pid],
      ['its callers', process.pid],
    ];
    const spentSoFar = (): Spent =>
      new Map([...pids.map(([name, pid]) => [name, (pid !== undefined && cpuMsOf(pid)) || 0] as const), ['machine', machineCpuMs()]]);

    const run = async (work: () => Promise<number>): Promise<Run> => {
      const counted = await commandCounts(redis);
      const [before, fromUs] = [spentSoFar(), monotonicUs()];
      const perSecond = await work();
      const toUs = monotonicUs();
      const commands = commandLines(counted, await commandCounts(redis), count);
      return {
        perSecond,
        commands,
        fromUs,
        toUs,
        spent: new Map([...spentSoFar()].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)])),
      };
    };
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
      return (count / (performance.now() - began)) * 1_000;
    };
    const started = async (): Promise<string> => {
      const calls = Array.from({ length: count }, () => JSON.stringify({ name: 'calc_metrics', arguments: parametersOf(newWeight()) }));
      const headers = { 'content-type': 'application/x-ndjson' };
      const reply = await caller.request('/batches', { method: 'POST', raw: calls.join('\n'), headers });
      if (reply.status !== 202) throw new Error(reply.text);
      return reply.as(startedBatch).batch_id;
    };
    /** Asked for four times a second: whoever asks without a pause measures the asking. */
    const ended = async (id: string): Promise<Batch> => {
      for (;;) {
        const shown = (await caller.get(`/batches/${id}`)).as(batch);
        if (shown.finished_at !== null) return shown;
        await sleep(lookEveryMs);
      }
    };
    const whole = async (): Promise<number> => {
      const began = performance.now();
      const { completed, created_at: from, finished_at: to } = await ended(await started());
      if (completed !== count) throw new Error(`${completed} of ${count} completed`);
      const looked = performance.now() - began;
      // By its own times, which the look does not make longer.
      const took = to === null ? looked : Math.min(looked, Date.parse(to) - Date.parse(from));
      return (count / took) * 1_000;
    };
    await step('Warm-up', async () => {
      await single();
      await whole();
    });
    print(`\nNode ${process.version}, ${availableParallelism()} processors; ${count} calls, ${rounds} rounds in turns, medians.`);
    const alone: Run[] = [];
    const together: Run[] = [];
    const idle: Latency[] = [];
    const busy: Latency[] = [];
    const besideSingle: Latency[] = [];
    for (let round = 0; round < rounds; round++) {
      alone.push(await run(single));
      together.push(await run(whole));
      const idleUntil = performance.now() + idleMs;
      idle.push(await latencies(() => performance.now() > idleUntil));
      const id = await started();
      busy.push(await beside(ended(id)));
      besideSingle.push(await beside(single()));
    }
    const [one, all] = [rateOf(alone), rateOf(together)];
    print(`calls one by one, ${callers} callers   ${one.toFixed(0)}/s   ${spentOf(alone)}`);
    print(`a batch, from its request on      ${all.toFixed(0)}/s   ${spentOf(together)}`);
    print(`                                  ${(all / one).toFixed(2)} times`);
    for (const [name, samples] of [
      ['idle', idle],
      ['beside a batch', busy],
      ['beside callers', besideSingle],
    ] as const)
      print(
        `another tenant, ${name.padEnd(16)} p50 ${median(samples.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms   p99 ${median(samples.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms`,
      );
    return Object.fromEntries(
      Object.entries({ 'one by one': alone.at(-1), 'a batch': together.at(-1) }).flatMap(([name, last]) => (last ? [[name, last]] : [])),
    );

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
  }

  function spentOf(runs: readonly Run[]): string {
    const names = [...(runs[0]?.spent.keys() ?? [])];
    const us = (name: string): string => ((median(runs.map(({ spent }) => spent.get(name) ?? 0)) / count) * 1_000).toFixed(0);
    return `µs a call: ${names.map((name) => `${name} ${us(name)}`).join(', ')}`;
  }
});

async function called(connection: HttpConnection, head: ReturnType<typeof postHead>): Promise<void> {
  const answer = await connection.post(head, JSON.stringify(parametersOf(newWeight())));
  if (!answer.includes('"bmi"')) throw new Error(`not what was asked for: ${answer.slice(0, 200)}`);
}

interface Stores extends AsyncDisposable {
  readonly redis: PrivateStore;
  /** Null for one that is not ours. */
  readonly postgres: PrivateStore | null;
  readonly redisUrl: string;
  readonly databaseUrl: string;
}

async function storesWith(databaseUrl: string): Promise<Stores> {
  const redis = await startRedis();
  await migrate(databaseUrl);
  return { redis, postgres: null, redisUrl: redis.url, databaseUrl, [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose]() };
}

function profileOptions(name: string, dir: string): readonly string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}`, `--cpu-prof-interval=${samplingUs}`];
}

/** The clock that V8 writes into its profiles (on Linux and macOS). */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function rateOf(runs: readonly Run[]): number {
  return median(runs.map(({ perSecond }) => perSecond));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
