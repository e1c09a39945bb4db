// What somebody could do who reaches the stores of the operator: forge a call, swap secrets, keep them. And secrets at their end.
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { newJobId, RedisKeys, partitionOf } from '#lib/transport';
import { startRedisWithUsers } from '../../test/e2e/redis-with-users.js';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const loginLink = { tool: 'express_dashboard_login_link', json: { stripe_account_id: 'acct_ok' } };
const withJob = z.looseObject({ metadata: z.looseObject({ job_id: z.string() }) });
const accepted = z.looseObject({ job_id: z.string() });
const withUrl = z.looseObject({ result: z.looseObject({ data: z.looseObject({ url: z.string() }) }) });
const jobOf = async (client: Client, tool: string, json: object): Promise<string> =>
  as(served(await client.send(`POST /tools/${tool}?enable_cache=false`, { json })), withJob).metadata.job_id;

/** A call whose answer is sealed, not read yet. */
async function sealedJob(
  { system }: World,
  { client, tool, json }: { readonly client: Client; readonly tool: string; readonly json: object },
): Promise<{ readonly jobId: string; readonly key: string }> {
  const { job_id: jobId } = as(await client.send(`POST /tools/${tool}`, { json, headers: { prefer: 'respond-async' } }), accepted);
  const key = new RedisKeys(system.namespace).sealed(jobId);
  await eventually(async () => (await system.redis.redis.exists(key)) === 1, { withinMs: 60_000, what: 'the sealed answer' });
  return { jobId, key };
}

/** Puts a record into Redis as it was changed, and a job for it into the queue. @returns how the call ended */
async function forge({ system }: World, jobId: string, record: Readonly<Record<string, string>>): Promise<void> {
  const keys = new RedisKeys(system.namespace);
  const { redis } = system.redis;
  if (Object.keys(record).length > 0) await redis.hset(keys.invocation(jobId), record);
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const queue = new Queue('profile', { connection, prefix: keys.queuePrefix(partitionOf('profile')) });
  await queue.add('calc_metrics', { trace_id: 'trace_forged', tenant: 't', user: null }, { jobId });
  const dropped = () => system.logs().some((line) => line.event === 'job-unknown' && line['job_id'] === jobId);
  await eventually(dropped, { withinMs: 30_000, what: 'the worker drops the forged job and says so' });
  await queue.close();
  connection.disconnect();
  must(!system.logs().some((line) => line.event === 'call-end' && line['job_id'] === jobId), 'the forged job was run');
}

export const storeCases = [
  ...casesIn('API1', {
    'A job that was written into Redis is not run, whatever tenant it names': [
      'S28',
      async (world) => {
        const { stranger, strangerTenant, system, victim } = world;
        const keys = new RedisKeys(system.namespace);
        const record = await system.redis.redis.hgetall(keys.invocation(await jobOf(stranger, 'calc_metrics', metrics)));
        const { head = '', mac = '' } = record;
        must(head.includes(strangerTenant.id) && mac !== '', 'the record has another form');
        const open = { ...record, state: 'waiting', runs: '0', deadline: String(Date.now() + 60_000) };
        await forge(world, newJobId(partitionOf('profile')), {});
        await forge(world, newJobId(partitionOf('profile')), open);
        const foreign = newJobId(partitionOf('profile'));
        await forge(world, foreign, { ...open, head: head.replaceAll(strangerTenant.id, system.tenant.id) });
        mustNotHold((await victim.send('GET /jobs?limit=100')).text, foreign, "the victim's list of jobs");
      },
    ],
    'An encrypted answer that was put under another call is opened for nobody': [
      'S38',
      async (world) => {
        const report = { title: 'swapped', content: 'x', format: 'html' };
        const [own, foreign] = [
          await sealedJob(world, { client: world.stranger, tool: 'generate_report', json: report }),
          await sealedJob(world, { client: world.victim, tool: 'generate_report', json: { ...report, title: world.canary } }),
        ];
        const { redis } = world.system.redis;
        const { url } = as(served(await world.victim.send(`GET /jobs/${foreign.jobId}`)), withUrl).result.data;
        await redis.set(own.key, (await redis.get(foreign.key)) ?? '', 'KEEPTTL');
        const answer = await world.stranger.send(`GET /jobs/${own.jobId}`, { allows: [500] });
        must(answer.status === 500, `an answer that was swapped is answered ${answer.status}`);
        mustNotHold(answer.text, new URL(url).pathname, 'the answer');
        const traceId = answer.headers.get('x-trace-id');
        const isTold = () => world.system.logs().some((line) => line.level === 'error' && line['trace_id'] === traceId);
        await eventually(isTold, { withinMs: 30_000, what: 'a line of the log that tells of it' });
      },
    ],
  }),
  ...casesIn('API6', {
    'A secret that nobody has read has gone when its time is over': [
      'S37',
      async (world) => {
        const { jobId, key } = await sealedJob(world, { client: world.victim, ...loginLink });
        const { redis } = world.system.redis;
        const leftMs = await redis.pttl(key);
        must(leftMs > 0 && leftMs <= 300_000, `a link of five minutes is kept for ${leftMs} ms`);
        await redis.pexpire(key, 1);
        await eventually(async () => (await redis.exists(key)) === 0, { what: 'the end of its time' });
        const answer = await world.victim.send(`GET /jobs/${jobId}`);
        must(answer.text.includes('RESULT_CONSUMED'), `it is told as ${answer.text.slice(0, 300)}`);
        mustNotHold(answer.text, 'https://connect.stripe.com', 'the answer');
      },
    ],
  }),
  ...casesIn('API8', {
    'Redis lets nobody in without a name, and no process beyond its own part': [
      'S94, finding 13',
      async () => {
        await using redis = await startRedisWithUsers();
        const tried = async (url: string, ...command: [string, ...string[]]): Promise<string> => {
          const client = new Redis(url, { lazyConnect: true, retryStrategy: null });
          client.on('error', () => undefined);
          try {
            return `answered ${JSON.stringify(await client.call(...command))}`;
          } catch (error) {
            return error instanceof Error ? error.message : 'refused';
          } finally {
            client.disconnect();
          }
        };
        const isRefused = (said: string) => /NOAUTH|NOPERM|WRONGPASS|Connection is closed/.test(said);
        const wrongPassword = redis.urlOf('GATEWAY').replace(/:[^:@]+@/, ':wrong@');
        for (const [url, ...command] of [
          [redis.portOnly, 'get', 'x'],
          [redis.portOnly, 'info'],
          [wrongPassword, 'get', 'x'],
          ...(['GATEWAY', 'PROFILE', 'STRIPE'] as const).flatMap((user) =>
            (
              ['config get *', 'flushall', 'keys *', 'acl list', 'script flush', 'shutdown', 'replicaof no one', 'module list'] as const
            ).map((line) => [redis.urlOf(user), ...line.split(' ')] as const),
          ),
          [redis.urlOf('PROFILE'), 'get', '{invoq:stripe}:sealed:x'],
          [redis.urlOf('PROFILE'), 'del', '{invoq:agent}:open'],
          [redis.urlOf('STRIPE'), 'set', 'invoq:anything', 'x'],
        ] as const) {
          const [name = '', ...rest] = command;
          const said = await tried(url, name, ...rest);
          must(isRefused(said), `${command.join(' ')} of ${new URL(url).username || 'nobody'}: ${said}`);
        }
        must((await tried(redis.urlOf('PROFILE'), 'get', '{invoq:profile}:x')).startsWith('answered'), 'its own part is refused too');
      },
    ],
  }),
  ...casesIn('LLM02', {
    'Each use of a right, and each refusal, is one line of the log': [
      'S95',
      async (world) => {
        const { admin, nobody, reader, victim, system } = world;
        const lineOf = async (event: string, traceId: string | null) => {
          const found = () => system.logs().filter((line) => line.event === event && line['trace_id'] === traceId);
          await eventually(() => found().length === 1, { withinMs: 30_000, what: `one ${event} of ${traceId}` });
          return JSON.stringify(found());
        };
        const traceOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-trace-id');
        const key = { tenant_id: system.tenant.id, user_id: 'user_other', tier: 'pro', scopes: ['tools:read'] };
        const made = served(await admin.send('POST /keys', { json: key }));
        const { id, key: text } = as(made, z.looseObject({ id: z.string(), key: z.string() }));
        const creation = await lineOf('audit', traceOf(made));
        must(creation.includes(id) && !creation.includes(text), 'the line of a new key names no key, or holds it');
        const revoked = served(await admin.send(`DELETE /keys/${id}`));
        must((await lineOf('audit', traceOf(revoked))).includes(id), 'the line of a revocation names no key');
        // So many a second have a line of their own, and the cases before may have used them up.
        const isLogged = async () => {
          const trace = traceOf(refused(await nobody.send('GET /jobs'), 401));
          await sleep(500);
          return system.logs().some((line) => line.event === 'auth-refused' && line['trace_id'] === trace);
        };
        await eventually(isLogged, { withinMs: 30_000, what: 'the line of a refusal' });
        await lineOf('audit', traceOf(refused(await reader.send('POST /keys', { json: key }), 403)));
        await lineOf('audit', traceOf(refused(await reader.send('GET /admin/settings'), 403)));
        await lineOf('call-end', traceOf(refused(await reader.send('POST /tools/create_node', { json: { title: 'x' } }), 403)));
        const { jobId } = await sealedJob(world, { client: victim, ...loginLink });
        served(await victim.send(`GET /jobs/${jobId}`));
        const opened = () => system.logs().filter((line) => line.event === 'secret-opened' && line['job_id'] === jobId);
        await eventually(() => opened().length === 1, { withinMs: 30_000, what: 'one line of the secret' });
        mustNotHold(JSON.stringify(opened()), 'https://', 'the line of a secret');
      },
    ],
  }),
];
