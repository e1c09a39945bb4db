// What is delivered: packages, containers, defaults. And what only a run of many requests shows.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { clientError, mustNotHold, refused, served } from '../expect.js';
import { makeKey } from '../world/credentials.js';

const weather = { location: 'Tokyo' };
const lock = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ link: z.boolean().optional(), resolved: z.string().optional(), integrity: z.string().optional() }),
  ),
});
const container = z.looseObject({
  image: z.string(),
  ports: z.array(z.string()).default([]),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  pids_limit: z.int().optional(),
  environment: z.record(z.string(), z.unknown()).default({}),
});
const compose = z.looseObject({ services: z.record(z.string(), container) });
const delivered = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Milliseconds of each of two requests, sent in turns so that both see the same machine. */
async function inTurns(
  times: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [number[], number[]]> {
  const taken: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 2 * times; turn++) {
    const started = performance.now();
    await (turn % 2 === 0 ? first() : second());
    taken[turn % 2 === 0 ? 0 : 1].push(performance.now() - started);
  }
  return taken;
}

const quartile = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 4)] ?? 0;

export const deliveryCases = [
  ...casesIn('API2', {
    'A key that is wrong at its end is refused no later than one that is wrong at its beginning': [
      'S12',
      async (world) => {
        const { client, key } = await makeKey(world);
        const wrongAt = (index: number) =>
          client.with({ authorization: `Bearer ${key.slice(0, index)}${key[index] === 'A' ? 'B' : 'A'}${key.slice(index + 1)}` });
        const beginning = key.lastIndexOf('_') + 1;
        const attempt = (other: typeof client) => async () => refused(await other.send('GET /tools'), 401);
        // Of the quick quarter of many: the slow ones tell of the machine.
        const [early, late] = await inTurns(150, attempt(wrongAt(beginning)), attempt(wrongAt(key.length - 1)));
        const [a, b] = [early, late].map((times) => quartile(times.toSorted((x, y) => x - y)));
        must(Math.abs((a ?? 0) - (b ?? 0)) < 0.5 + (a ?? 0) / 2, `wrong at the beginning ${a} ms, at the end ${b} ms`);
      },
    ],
  }),
  ...casesIn('API4', {
    'What a refused or failed call was sent is in Redis no more when it has ended': [
      'finding 6',
      async ({ stranger, system }) => {
        const mark = `dropped-${Date.now()}`;
        const updates = Array.from({ length: 50 }, (_, index) => ({ nodeId: `none-${index}`, content: `${mark} ${'x'.repeat(3_000)}` }));
        const headers = { 'x-session-id': 'filler' };
        await stranger.send('POST /tools/batch_update_nodes', { json: { updates, atomic: true }, headers });
        clientError(await stranger.send('POST /tools/generate_report', { json: { title: 'x', content: `${'> '.repeat(3_000)}${mark}` } }));
        await eventually(async () => !(await system.redis.everything()).includes(mark), {
          withinMs: 30_000,
          what: 'the parameters are dropped',
        });
      },
    ],
    'A key that may only read fills Redis with nothing that it sends': [
      'finding 6',
      async (world) => {
        const { client } = await makeKey(world, { tier: 'free', user_id: 'user_filler', scopes: ['tools:read'] });
        const used = async (): Promise<number> =>
          Number(/^used_memory_dataset:(\d+)/m.exec(await world.system.redis.redis.info('memory'))?.[1]);
        const before = await used();
        const content = 'y'.repeat(200_000);
        for (let round = 0; round < 20; round++)
          await client.send('POST /tools/show_report', { json: { title: `filler ${round}`, content }, allows: [500, 503] });
        const kept = (await used()) - before;
        // 20 calls of 200 KB were 10 MB.
        must(kept < 3_000_000, `20 calls of 200 KB keep ${kept} bytes in Redis`);
      },
    ],
  }),
  ...casesIn('API8', {
    'A process that is not told otherwise follows the rules of production': [
      'finding 13',
      async () => {
        const env = { PATH: process.env['PATH'], REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x' };
        const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/apps/gateway/src/main.js')], {
          env,
          timeout: 60_000,
          encoding: 'utf8',
        });
        must(status === 1, `a gateway without secrets ended with ${status}`);
        must(`${stdout}${stderr}`.includes('SEALING_KEYS'), 'it does not say what is missing');
      },
    ],
    'A container can change no file, gain no right, and has no secret of another process': [
      'finding 13, S94',
      async () => {
        const { services } = compose.parse(parse(delivered('docker-compose.yml'), { merge: true }));
        for (const [name, one] of Object.entries(services)) {
          must(one.read_only === true, `${name} may write`);
          must(one.cap_drop.includes('ALL'), `${name} has capabilities`);
          must(one.security_opt.includes('no-new-privileges:true'), `${name} may gain rights`);
          must(one.mem_limit !== undefined && one.pids_limit !== undefined, `${name} has no limits`);
          const outward = one.ports.filter((port) => !port.startsWith('127.0.0.1:'));
          must(outward.length === 0 || name === 'gateway', `${name} is reached from outside: ${outward.join()}`);
        }
        must(
          services['redis']?.ports.length === 0 && services['postgres']?.ports.length === 0,
          'a store has a port outside of its network',
        );
        const holders = (secret: string) => Object.keys(services).filter((name) => secret in (services[name]?.environment ?? {}));
        for (const [secret, mayHave] of [
          ['STRIPE_SECRET_KEY', ['stripe-worker']],
          ['WEATHER_API_KEY', ['perception-worker']],
          ['JWT_SECRET', ['gateway']],
          ['POSTGRES_PASSWORD', ['postgres']],
          ['POSTGRES_APP_PASSWORD', ['pgbouncer']],
          ['REDIS_ADMIN_PASSWORD', ['redis', 'redis-replica']],
        ] as const)
          must(
            holders(secret).every((name) => (mayHave as readonly string[]).includes(name)),
            `${secret} is given to ${holders(secret).join()}`,
          );
      },
    ],
  }),
  ...casesIn('API9', {
    'A tool whose end has come is served under none of its names, and tells what to use': [
      'S90, S91',
      async ({ stranger }) => {
        const over = (answer: Awaited<ReturnType<typeof stranger.send>>) => {
          refused(answer, 410);
          for (const fact of ['TOOL_DEPRECATED', 'get_weather', '/docs/migrations/get_weather-1-to-2'])
            must(answer.text.includes(fact), `the refusal does not name ${fact}`);
        };
        for (const name of [
          'get_weather_v1',
          'get_weather_v1@1',
          'get_weather_v1@1.0.0',
          'get_weather_v1@^1',
          'get_weather_v1%401',
          '%67et_weather_v1',
        ])
          over(await stranger.send(`POST /tools/${name}`, { json: weather }));
        over(await stranger.send('GET /tools/get_weather_v1/sse?location=Tokyo'));
        over(await stranger.send('POST /tools/call', { json: { name: 'get_weather_v1', arguments: weather } }));
        const batch = served(
          await stranger.send('POST /tools/batch', { json: { calls: [{ id: '1', name: 'get_weather_v1', arguments: weather }] } }),
        );
        must(batch.text.includes('TOOL_DEPRECATED'), 'a batch serves it');
        served(await stranger.send('GET /docs/migrations/get_weather-1-to-2'));
        mustNotHold((await stranger.send('GET /tools?format=openai')).text, '"get_weather_v1"', 'the list for models');
      },
    ],
  }),
  ...casesIn('LLM03', {
    'Every package has a hash, comes from a registry, and runs nothing when it is installed': [
      'S96, finding 13',
      async () => {
        const { packages } = lock.parse(JSON.parse(delivered('package-lock.json')));
        const unsafe = Object.entries(packages).filter(
          ([path, { link, integrity = '', resolved = 'https://' }]) =>
            path !== '' && link !== true && (!/^sha(512|384)-/.test(integrity) || !/^https:\/\/|^\.+\//.test(resolved)),
        );
        must(
          unsafe.length === 0,
          `without a good hash: ${unsafe
            .slice(0, 5)
            .map(([path]) => path)
            .join()}`,
        );
        must(Object.keys(packages).length > 500, 'the lock holds no packages');
        must(/^ignore-scripts=true$/m.test(delivered('.npmrc')), 'packages may run scripts');
      },
    ],
  }),
];
