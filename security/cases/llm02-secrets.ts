// What the run has said and stored is searched for what nobody may find there. These cases make the traces that they look for.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, served } from '../expect.js';
import type { World } from '../world/world.js';

const made = z.looseObject({
  data: z.looseObject({ url: z.string() }),
  metadata: z.looseObject({ job_id: z.string(), trace_id: z.string() }),
});
const tables = ['api_key', 'conversation', 'file', 'mcp_server', 'skill_data', 'profile', '"user"'] as const;

/** Makes a link, and waits until its call has been logged. */
async function makeLink({ victim, system }: World) {
  const answer = as(
    served(await victim.send('POST /tools/express_dashboard_login_link', { json: { stripe_account_id: 'acct_ok' } })),
    made,
  );
  const { trace_id } = answer.metadata;
  await eventually(() => system.logs().some((line) => line.event === 'call-end' && line['trace_id'] === trace_id), {
    withinMs: 30_000,
    what: 'the log of the call',
  });
  return { link: answer.data.url, ...answer.metadata };
}

const printed = ({ system }: World): string => [...system.gateways, ...system.workers, ...system.more].map((app) => app.printed).join('\n');

async function stored({ sql }: World): Promise<string> {
  const names = await sql(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`);
  const all = z.array(z.object({ table_name: z.string() })).parse(names);
  const contents = await Promise.all(all.map(({ table_name }) => sql(`SELECT * FROM "${table_name}"`)));
  must(all.length >= tables.length, 'the tables are not there');
  return JSON.stringify(contents);
}

const keysOf = (world: World): readonly string[] =>
  [world.victim, world.neighbour, world.stranger, world.agent, world.admin].map(({ headers }) =>
    (headers['authorization'] ?? '').slice(-24),
  );

export const secretCases = casesIn('LLM02', {
  'A link for one use is nowhere in Redis in clear': [
    'S29',
    async (world) => {
      const { link } = await makeLink(world);
      mustNotHold(await world.system.redis.everything(), link, 'Redis');
    },
  ],
  'A link for one use is nowhere in Postgres': [
    'S30',
    async (world) => {
      const { link } = await makeLink(world);
      mustNotHold(await stored(world), link, 'Postgres');
    },
  ],
  'A link for one use is in no log, at the level trace': [
    'S31, S44',
    async (world) => {
      const { link } = await makeLink(world);
      mustNotHold(printed(world), link, 'a log');
    },
  ],
  'A link for one use is in no trace': [
    'S32',
    async (world) => {
      const { link, trace_id } = await makeLink(world);
      await eventually(async () => (await world.victim.send(`GET /traces/${trace_id}`)).status === 200, { what: 'the trace' });
      for (const client of [world.victim, world.admin]) mustNotHold((await client.send(`GET /traces/${trace_id}`)).text, link, 'the trace');
    },
  ],
  'A link for one use is on no span for a collector, which gets parameters and results': [
    'S32',
    async (world) => {
      const { link } = await makeLink(world);
      const name = 'execute_tool express_dashboard_login_link';
      await eventually(() => 'gen_ai.tool.call.result' in world.collector.factsOf(name), { what: 'the span with the result' });
      mustNotHold(JSON.stringify(world.collector.spans), link, 'a span');
    },
  ],
  'A link for one use is neither on the board nor in the metrics': [
    'S33',
    async (world) => {
      const { link } = await makeLink(world);
      const board = served(await world.admin.send('GET /admin/queues/api/queues?activeQueue=stripe&status=latest&page=1&jobsPerPage=100'));
      must(board.text.includes('express_dashboard_login_link'), 'the board shows no job of the tool');
      mustNotHold(board.text, link, 'the board');
      mustNotHold(served(await world.admin.send('GET /metrics')).text, link, 'the metrics');
    },
  ],
  'API keys are in no log, in Redis or in Postgres': [
    'S05, S31',
    async (world) => {
      const places = { 'a log': printed(world), Redis: await world.system.redis.everything(), Postgres: await stored(world) };
      for (const key of keysOf(world)) for (const [place, text] of Object.entries(places)) mustNotHold(text, key, place);
    },
  ],
  'Secrets of the operator are in no log, in Redis or in Postgres': [
    'S29, S30, S31',
    async (world) => {
      const places = { 'a log': printed(world), Redis: await world.system.redis.everything(), Postgres: await stored(world) };
      for (const secret of world.secrets) for (const [place, text] of Object.entries(places)) mustNotHold(text, secret, place);
    },
  ],
  'Health data is in no log and not on the board': [
    'S41',
    async (world) => {
      // A height that nobody else has, as a parameter.
      const height = 183.456_789;
      const json = { height_cm: height, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' };
      served(await world.victim.send('POST /tools/calc_metrics?enable_cache=false', { json }));
      mustNotHold(printed(world), world.canary, 'a log');
      mustNotHold(printed(world), String(height), 'a log');
      for (const queue of ['profile', 'agent', 'memotree', 'perception'])
        mustNotHold(
          (await world.admin.send(`GET /admin/queues/api/queues?activeQueue=${queue}&status=latest&page=1&jobsPerPage=100`)).text,
          world.canary,
          'the board',
        );
      mustNotHold((await world.admin.send('GET /metrics')).text, world.canary, 'the metrics');
    },
  ],
  'Health data is on no span for a collector, which gets parameters and results': [
    'S41',
    async (world) => {
      const height = 183.456_987;
      const json = { height_cm: height, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' };
      served(await world.victim.send('POST /tools/calc_metrics?enable_cache=false', { json }));
      const { collector } = world;
      await eventually(() => 'gen_ai.tool.call.arguments' in collector.factsOf('execute_tool calc_metrics'), { what: 'the span' });
      mustNotHold(JSON.stringify(collector.spans), String(height), 'a span');
      mustNotHold(JSON.stringify(collector.spans), world.canary, 'a span');
    },
  ],
  'Headers of an outside server are shown and stored nowhere in clear': [
    'S69, S29, S30',
    async (world) => {
      const secret = `header-${randomBytes(9).toString('hex')}`;
      // It cannot be reached, and the registration is logged as a failure.
      await world.admin.send('POST /mcp/servers', {
        json: { name: 'sealed', url: 'https://inside.example/mcp', headers: { authorization: `Bearer ${secret}` } },
      });
      mustNotHold(printed(world), secret, 'a log');
      mustNotHold(await world.system.redis.everything(), secret, 'Redis');
      mustNotHold(await stored(world), secret, 'Postgres');
    },
  ],
  'What a visitor proves its identity with is in no log': [
    'finding 3',
    async (world) => {
      const session = world.objects.guestCookie.split('=')[1] ?? '';
      must(session.length > 20, 'the visitor has no session');
      mustNotHold(printed(world), session, 'a log');
      mustNotHold(await world.system.redis.everything(), session, 'Redis');
    },
  ],
  'A secret in a path or a query is not logged': [
    'S03, S44',
    async (world) => {
      const secret = `query-${randomBytes(9).toString('hex')}`;
      for (const target of [`/tools?api_key=${secret}`, `/jobs?ticket=${secret}`, `/files/x?signature=${secret}`])
        await world.nobody.send(`GET ${target}`);
      mustNotHold(printed(world), secret, 'a log');
    },
  ],
  'What was sent writes no line into a log': [
    'S46',
    async (world) => {
      const mark = `forged${randomBytes(6).toString('hex')}`;
      const line = `x\n{"level":"error","name":"forged","event":"${mark}"}\n\u001b[31m\u2028`;
      await world.stranger.send('POST /tools/search_documents', { json: { query: line } });
      await world.stranger.send(`GET /tools/${encodeURIComponent(line)}`);
      await world.stranger.send('GET /tools', { headers: { 'user-agent': line.replaceAll(/[^\x20-\x7e]/g, ''), 'x-request-id': mark } });
      must(!world.system.logs().some(({ event, name }) => event === mark || name === 'forged'), 'a line was forged');
    },
  ],
  'No process fell, and none was restarted': [
    'S98',
    async ({ system }) => {
      for (const app of [...system.gateways, ...system.workers, ...system.more]) must(app.isRunning, `${app.logFile} has ended`);
      const fatal = system.logs().find(({ level, event }) => level === 'fatal' || event === 'uncaught' || event === 'unhandled-rejection');
      must(fatal === undefined, `a process was near its end: ${JSON.stringify(fatal)?.slice(0, 300)}`);
    },
  ],
});
