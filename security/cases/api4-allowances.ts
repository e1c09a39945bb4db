// What a credential may ask for besides calls that are served, and what a request that is refused leaves behind.
import { eventually, must } from '#lib/testing';
import { RedisKeys, traceLists } from '#lib/transport';
import { casesIn } from '../case.js';
import { refused, served } from '../expect.js';
import { dearNames } from '../routes/dear-bodies.js';
import type { World } from '../world/world.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

/**
 * How each of them is asked for, one after the other. A refused body takes 99 points, and 23 where its values are forgotten: the allowance
 * must refuse the third, on a machine that takes long for them too, and owes so much that the next may come seconds later.
 */
const most = 8;
const leastSeconds = 2;
const messages = (method: string, params: object): string =>
  JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method, params })));
const floods = {
  'Calls that break the contract': { line: 'POST /tools/calc_metrics', body: dearNames },
  'Calls of tools that do not exist': { line: 'POST /tools/no_such_tool', body: dearNames },
  'Messages that MCP refuses': { line: 'POST /mcp', body: dearNames },
  'Searches of MCP': { line: 'POST /mcp?tools=search', body: messages('tools/call', { name: 'search_tools', arguments: { query: 'x' } }) },
  'Calls over MCP of tools that do not exist': { line: 'POST /mcp', body: messages('tools/call', { name: 'none', arguments: {} }) },
  'Lists of MCP': {
    line: 'POST /mcp',
    body: messages('tools/list', {}),
  },
} as const;

async function isLimited(world: World, { line, body }: (typeof floods)[keyof typeof floods]): Promise<void> {
  const client = (await world.newClient()).at(world.meagreUrl);
  const headers = { accept: 'application/json, text/event-stream' };
  let answer = await client.send(line, { body, headers, allows: [0] });
  for (let sent = 1; sent < most && answer.status !== 429; sent++) answer = await client.send(line, { body, headers, allows: [0] });
  must(answer.status === 429, `of ${most} none was limited`);
  must(answer.headers.has('retry-after'), 'a refusal without Retry-After');
  const seconds = Number(answer.headers.get('retry-after'));
  must(body !== dearNames || seconds >= leastSeconds, `after a large body that was refused, the next may come in ${seconds} s`);
  served(await (await world.newClient()).at(world.meagreUrl).send('POST /tools/calc_metrics', { json: metrics }));
}

export const allowanceCases = [
  ...casesIn(
    'API4',
    Object.fromEntries(
      Object.entries(floods).map(([what, flood]) => [
        `${what} have a limit`,
        ['S86, S99', (world: World) => isLimited(world, flood)] as const,
      ]),
    ),
  ),
  ...casesIn('API4', {
    'A request without a credential leaves no span where those of callers are': [
      'S02',
      async ({ nobody, victim, system }) => {
        const id = `${'f0'.repeat(15)}77`;
        refused(await nobody.send('GET /skills', { headers: { traceparent: `00-${id}-${'1'.repeat(16)}-01` } }), 401);
        const { headers } = served(await victim.send('POST /tools/calc_metrics', { json: metrics }));
        const own = headers.get('x-trace-id') ?? '';
        // It came later, so what was to be written of the other has been written.
        await eventually(async () => (await victim.send(`GET /traces/${own}`)).status === 200, {
          withinMs: 30_000,
          what: 'the trace of a call that came later',
        });
        const keys = new RedisKeys(system.namespace);
        const { redis } = system.redis;
        for (const tenant of ['', ...(await redis.zrangebyscore(keys.traceTenants(), '-inf', '+inf'))])
          for (let list = 0; list < traceLists; list++)
            must(
              (await redis.lrange(keys.traces(tenant, list), 0, -1)).every((span) => !span.includes(id)),
              'the span of a stranger is stored',
            );
      },
    ],
  }),
];
