// `npm run bench:around`: what rules, flows and webhooks cost a call, and whether one receiver that hangs holds up another.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { waitingLineList } from '#lib/contracts';
import { print, runScript, step } from '#lib/command-line';
import { eventually, HttpCaller, startSystem } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { HttpConnection, postHead } from '../load/http-connection.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { commandCounts } from '../profile/redis-commands.js';
import { productionEnv } from '../system/production.js';
import { cpuMsOf } from '../system/usage.js';

const help = `What a policy, a flow and a long line cost a call, and how fast webhooks are told, alone and beside one that hangs.

  npm run bench:around -- [--calls 4000] [--line 10000] [--rounds 3]
`;
const callers = 16;
/** Ends of calls that a receiver is told of in a second, and for how long, where it is measured how late they come. */
const [calmRate, calmSeconds] = [50, 10];
const tool = 'calc_metrics';
const path = `/tools/${tool}`;
/** What gateways know of rules and flows is a second old at most. */
const knownMs = 2_500;

interface Cost {
  readonly perSecond: number;
  readonly commands: number;
  readonly gatewayUs: number;
  readonly redisUs: number;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '4000' },
      line: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const [count, line, rounds] = [Number(values.calls), Number(values.line), Number(values.rounds)];
  await using owner = new AsyncDisposableStack();
  const stores = owner.use(await step('Private stores', () => startStores()));
  const system = owner.use(await step('Our processes', () => startSystem({ stores, env: { ...productionEnv, WEBHOOK_PRIVATE: 'allow' } })));
  const redis = owner.adopt(new Redis(stores.redisUrl), (client) => client.disconnect());
  await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
  const { url } = system.gateway;
  const scopes = ['tools:read', 'tools:write', 'tenant:admin', 'webhooks'];
  const key = await system.tenant.key({ userId: null, tier: 'vip', scopes });
  const admin = new HttpCaller(url, key);
  const put = async (at: string, json: object): Promise<void> => {
    const { status, text: said } = await admin.request(at, { method: 'PUT', json });
    if (status >= 300) throw new Error(`${at}: ${status} ${said}`);
    await sleep(knownMs);
  };
  const remove = async (at: string): Promise<void> => {
    await admin.delete(at);
    await sleep(knownMs);
  };

  const commands = async (): Promise<number> => [...(await commandCounts(redis)).values()].reduce((sum, { calls }) => sum + calls, 0);
  const spent = (pid: number | undefined): number => (pid === undefined ? 0 : (cpuMsOf(pid) ?? 0));
  /** What so many calls took. */
  const costOf = async (calls: number, work: () => Promise<void>): Promise<Cost> => {
    const before = [await commands(), spent(system.gateway.pid), spent(stores.redis.pid), performance.now()] as const;
    await work();
    const tookMs = performance.now() - before[3];
    const us = (ms: number): number => (ms / calls) * 1_000;
    return {
      perSecond: (calls / tookMs) * 1_000,
      commands: ((await commands()) - before[0]) / calls,
      gatewayUs: us(spent(system.gateway.pid) - before[1]),
      redisUs: us(spent(stores.redis.pid) - before[2]),
    };
  };
  /** @param rate of them in a second; null for as many as come */
  const call = async (calls: number, headers: Readonly<Record<string, string>> = {}, rate: number | null = null): Promise<void> => {
    let left = calls;
    const began = performance.now();
    const head = postHead(`${url}${path}`, { authorization: `Bearer ${key}`, ...headers });
    const one = async (): Promise<void> => {
      using connection = await HttpConnection.open(url);
      while (left-- > 0) {
        if (rate !== null) await sleep(Math.max(0, began + ((calls - left) / rate) * 1_000 - performance.now()));
        await connection.post(head, JSON.stringify(parametersOf(newWeight())));
      }
    };
    await Promise.all(Array.from({ length: callers }, one));
  };

  await step('Warm-up', () => call(count));
  const rules: readonly { readonly name: string; readonly set: () => Promise<void>; readonly unset: () => Promise<void> }[] = [
    { name: 'nothing', set: async () => undefined, unset: async () => undefined },
    {
      name: 'a policy',
      set: async () => put('/policies/bench', { when: "args.weight_kg > 900.0 && caller.tier == 'vip'", then: 'deny', message: 'no' }),
      unset: async () => remove('/policies/bench'),
    },
    {
      name: 'a flow, a line each',
      set: async () => put('/flows/bench', { tool, key: 'string(args.weight_kg)', concurrency: 100 }),
      unset: async () => remove('/flows/bench'),
    },
    {
      name: 'a budget',
      set: async () => put('/budgets/bench', { period: 'day', limit_calls: 1_000_000_000 }),
      unset: async () => remove('/budgets/bench'),
    },
  ];
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round++)
    for (const { name, set, unset } of rules) {
      await set();
      costs.set(name, [
        ...(costs.get(name) ?? []),
        await step(`Round ${round + 1}, ${name}`, async () => costOf(count, async () => call(count))),
      ]);
      await unset();
    }

  const waiting = async (): Promise<number> =>
    (await admin.get('/flow-lines')).as(waitingLineList).lines.reduce((sum, one) => sum + one.waiting, 0);
  /** Calls that come into a line that is shut, and go when it opens. */
  const inLine = async (calls: number): Promise<{ readonly enters: Cost; readonly leaves: Cost }> => {
    await put('/flows/line', { tool, rate: { max: 1, per_ms: 86_400_000 } });
    const some = Math.min(calls, 500);
    await call(calls - some, { prefer: 'respond-async' });
    const enters = await costOf(some, async () => call(some, { prefer: 'respond-async' }));
    await eventually(async () => (await waiting()) >= calls - 1, { withinMs: 60_000, what: `${calls} calls in line` });
    const began = calls - 1;
    await admin.request('/flows/line', { method: 'PUT', json: { tool, concurrency: callers } });
    await eventually(async () => (await waiting()) < began, { withinMs: 30_000, what: 'the first one that goes' });
    const from = await waiting();
    let to = from;
    const leaves = await costOf(1, async () => {
      await eventually(async () => (to = await waiting()) <= Math.max(0, from - some), { withinMs: 120_000, what: 'calls that go' });
    });
    const gone = Math.max(1, from - to);
    await eventually(async () => (await waiting()) === 0, { withinMs: 300_000, what: 'an empty line' });
    await remove('/flows/line');
    const each = (value: number): number => value / gone;
    return {
      enters,
      leaves: {
        perSecond: leaves.perSecond * gone,
        commands: each(leaves.commands),
        gatewayUs: each(leaves.gatewayUs),
        redisUs: each(leaves.redisUs),
      },
    };
  };
  const short = await step('A line of 600', () => inLine(600));
  const long = await step(`A line of ${line}`, () => inLine(line));

  const besides = ['alone', 'beside one that takes them', 'beside one that hangs'] as const;
  const deliveries = [];
  for (const beside of besides) {
    const burst = await step(`Deliveries ${beside}, as many as come`, () => delivered(beside, null));
    const calm = await step(`Deliveries ${beside}, ${calmRate} a second`, () => delivered(beside, calmRate));
    deliveries.push({ beside, perSecond: burst.perSecond, ...calm.late });
  }

  print(`\n${count} calls, ${callers} callers, medians of ${rounds}`);
  for (const [name, some] of costs) print(lineOf(name, medianOf(some)));
  print(lineOf('into a line of 600', short.enters));
  print(lineOf(`into a line of ${line}`, long.enters));
  print(lineOf('out of a line of 600', short.leaves));
  print(lineOf(`out of a line of ${line}`, long.leaves));
  for (const { beside, perSecond, p50Ms, p99Ms } of deliveries)
    print(
      `deliveries ${beside.padEnd(28)} ${perSecond.toFixed(0).padStart(6)}/s   of ${calmRate} a second, after the end of the call: p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`,
    );
  return 0;

  /** The ends of calls, told to one receiver. @param rate of the calls in a second; null for as many as come */
  async function delivered(
    beside: (typeof besides)[number],
    rate: number | null,
  ): Promise<{ readonly perSecond: number; readonly late: { readonly p50Ms: number; readonly p99Ms: number } }> {
    await using mine = new AsyncDisposableStack();
    const late: number[] = [];
    const good = mine.use(
      await receiver(async (body) => {
        const { timestamp } = z.looseObject({ timestamp: z.string() }).parse(JSON.parse(body));
        late.push(Date.now() - Date.parse(timestamp));
      }),
    );
    const other = mine.use(await receiver(async () => (beside === 'beside one that hangs' ? new Promise(() => undefined) : undefined)));
    const made: string[] = [];
    for (const one of beside === 'alone' ? [good] : [other, good]) {
      const reply = await admin.post('/webhooks', { url: one.url, events: ['call.completed'] });
      made.push(reply.as(z.looseObject({ id: z.string() })).id);
    }
    await sleep(knownMs);
    const began = performance.now();
    const calls = rate === null ? count : rate * calmSeconds;
    await call(calls, {}, rate);
    await eventually(() => late.length >= calls, { withinMs: 120_000, what: 'all deliveries' });
    const tookMs = performance.now() - began;
    for (const id of made) await admin.delete(`/webhooks/${id}`);
    const sorted = late.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return { perSecond: (calls / tookMs) * 1_000, late: { p50Ms: at(0.5), p99Ms: at(0.99) } };
  }
});

async function receiver(take: (body: string) => Promise<void>) {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      await take(body);
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function lineOf(name: string, { perSecond, commands, gatewayUs, redisUs }: Cost): string {
  return `${name.padEnd(30)} ${perSecond.toFixed(0).padStart(6)}/s   ${commands.toFixed(1)} commands, gateway ${gatewayUs.toFixed(0)} µs, Redis ${redisUs.toFixed(0)} µs`;
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (of: (cost: Cost) => number): number => costs.map(of).toSorted((a, b) => a - b)[costs.length >> 1] ?? 0;
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    commands: middle(({ commands }) => commands),
    gatewayUs: middle(({ gatewayUs }) => gatewayUs),
    redisUs: middle(({ redisUs }) => redisUs),
  };
}
