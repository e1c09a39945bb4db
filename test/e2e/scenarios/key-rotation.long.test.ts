// Sealing keys are changed in the runbook's three steps while calls go on: nobody gets a 5xx, and everything sealed stays readable.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import {
  dayMs,
  envelopeShape,
  eventually,
  givenStores,
  jobListShape,
  ModelServer,
  startTimeoutMs,
  type HttpCaller,
  type Reply,
} from '#lib/testing';
import { coreSkill } from '#lib/skills';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { openChat, readChat, scripted } from '../chat-system.js';
import { expectSuccess } from '../expectations.js';
import { importAll } from '../knowledge-system.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { OutsideServer } from '../outside-server.js';
import { outsideTool } from '../outside-system.js';
import { makeSkillFolder } from '../skill-folder.js';

jest.setTimeout(600_000);

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [older, newer] = [newKey('k1'), newKey('k2')];
const pageShape = z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) });
const fileShape = z.object({ url: z.url() });
/** Every use comes often while a process restarts, and leaves the processors to the processes that start. */
const betweenMs = 200;
const headerValue = 'Bearer of-the-outside-server';

describe('sealing keys are rotated under load', () => {
  const started = new AsyncDisposableStack();
  let lab: LabSystem;
  let model: ModelServer;
  let outside: OutsideServer;
  let user: HttpCaller;
  let admin: HttpCaller;

  beforeAll(async () => {
    // Registered servers are the whole product's, not a tenant's: no other test may find them.
    const postgres = started.use(await startPostgres());
    await migrate(postgres.url);
    model = started.use(await ModelServer.start());
    outside = started.use(await OutsideServer.start('rest'));
    outside.tools = [outsideTool('shout')];
    const skills = started.use(await makeSkillFolder());
    await skills.write(coreSkill, 'Core text.', ['lab_effect']);
    const worker = (name: string) => `dist/apps/${name}-worker/src/main.js`;
    lab = started.use(
      await startLabSystem({
        stores: { ...givenStores(), databaseUrl: postgres.url },
        gateways: 2,
        workers: 2,
        env: { SEALING_KEYS: older },
        more: [
          { main: worker('perception'), env: { WEATHER_API_BASE: 'http://127.0.0.1:9' } },
          { main: worker('knowledge') },
          { main: worker('agent'), env: { MODEL: 'scripted', MODEL_BASE_URL: model.url, SKILLS_DIR: skills.path } },
        ],
      }),
    );
    [user, admin] = await Promise.all([lab.system.caller(), lab.system.admin()]);
    const headers = { authorization: headerValue };
    expect((await admin.post('/mcp/servers', { name: 'there', tenants: '*', url: outside.url, headers })).status).toBe(201);
    for (const { url } of lab.system.gateways)
      await eventually(async () => (await user.at(url).get('/tools/there__shout')).status === 200, { what: `${url} to know the tool` });
    const text = (n: number) => ({ path: `${n}.md`, content: `# Guide ${n}\n\nThe manual says ${n}.` });
    await importAll(admin, 'documents', [text(1), text(2), text(3)]);
  }, startTimeoutMs);
  afterAll(async () => started.disposeAsync(), startTimeoutMs);

  let asked = 0;
  const away = new Set<unknown>();
  /** Asks the gateways in turn, without one that is restarted: a load balancer learns from readiness. No answer is asked for twice. */
  const ask = async (request: (caller: HttpCaller) => Promise<Reply>): Promise<Reply> => {
    const serving = lab.system.gateways.filter((gateway) => !away.has(gateway));
    return request(user.at(serving[asked++ % serving.length]?.url ?? ''));
  };
  const call = async (tool: string, params: object, headers = {}) => {
    const reply = await ask((caller) => caller.post(`/tools/${tool}`, params, headers));
    return { reply, data: expectSuccess(reply.as(envelopeShape)) };
  };
  const get = async (path: string) => {
    const reply = await ask((caller) => caller.get(path));
    expect([path.replace(/\?.*/, ''), reply.status]).toEqual([expect.any(String), 200]);
    return reply;
  };
  const linkOf = (order: string) => ({ link: `https://ledger.test/once/canary-${order}` });

  /** What callers hold in their hands: made now, used until its time is over. */
  const collect = async (name: string): Promise<readonly (() => Promise<void>)[]> => {
    const keyed = { order: `keyed-${name}`, headers: { 'idempotency-key': name } };
    const first = await call('lab_secret', { order: keyed.order }, keyed.headers);
    await call('lab_secret', { order: name });
    const jobs = (await get('/jobs?limit=1')).as(jobListShape).pagination.next_cursor;
    const documents = pageShape.parse((await call('search_documents', { query: 'manual', limit: 1 })).data).pagination.next_cursor;
    const { url } = fileShape.parse((await call('generate_report', { title: name, content: 'text', format: 'html' })).data);
    const file = new URL(url);
    return [
      async () => {
        const { reply } = await call('lab_secret', { order: keyed.order }, keyed.headers);
        expect([reply.text, reply.headers.get('idempotent-replayed')]).toEqual([first.reply.text, 'true']);
      },
      async () => void (await get(`/jobs?limit=1&cursor=${jobs}`)),
      async () => void (await call('search_documents', { query: 'manual', limit: 1, cursor: documents })),
      async () => void (await get(file.pathname + file.search)),
    ];
  };
  let orders = 0;
  /** What callers ask anew again and again. */
  const fresh = [
    async () => {
      const order = `fresh-${++orders}`;
      expect((await call('lab_secret', { order })).data).toMatchObject(linkOf(order));
    },
    async () => {
      expect((await call('there__shout', { word: 'w' })).data).toBeDefined();
      expect(outside.calls.at(-1)?.headers.authorization).toBe(headerValue);
    },
    async () => void (await ask((caller) => caller.post('/tools/lab_secret', { order: 'async' }, { prefer: 'respond-async' }))),
  ];

  /** Does everything over and over while the work goes on, and once more after it. Waits for all and throws the first fault. */
  const underLoad = async (uses: readonly (() => Promise<void>)[], work: () => Promise<void>): Promise<void> => {
    let isOver = false;
    const working = work().finally(() => (isOver = true));
    const loops = uses.map(async (use) => {
      let times = 0;
      for (; !isOver; times++) {
        await use();
        await sleep(betweenMs);
      }
      await use();
      expect(times).toBeGreaterThan(10);
    });
    for (const ended of await Promise.allSettled([...loops, working])) if (ended.status === 'rejected') throw ended.reason;
  };

  /** Restarts every process with these keys, one of each kind at a time, while a chat turn that began with the keys before goes on. */
  const roll = async (keys: string) => {
    const { gateways, workers, more } = lab.system;
    const [first, second] = gateways;
    const order = `turn-${keys.length}-${keys.slice(0, 2)}`;
    const { promise: rolled, resolve: answer } = Promise.withResolvers<void>();
    const effect = { name: 'lab_effect', arguments: { order } };
    const message = scripted(model, { calls: [effect], until: rolled }, { text: 'Done.' });
    await using stream = await openChat(user.at(second?.url ?? ''), { message });
    await restart(first, keys);
    await Promise.all([workers[0], ...more.slice(0, 2)].map((app) => restart(app, keys)));
    answer();
    expect(readChat(stream.headers, await stream.rest(60_000)).text).toBe('Done.');
    expect(lab.ledger.of(order).effects).toHaveLength(1);
    await Promise.all([...more.slice(2), workers[1]].map((app) => restart(app, keys)));
    await restart(second, keys);
  };
  const restart = async (app: (typeof lab.system.gateways)[number] | undefined, keys: string) => {
    away.add(app);
    await app?.stop();
    await app?.start({ SEALING_KEYS: keys });
    away.delete(app);
  };

  test('step 1 adds the new key, step 2 puts it first, and two days later step 3 removes the old one', async () => {
    const before = await collect('before');
    await underLoad([...fresh, ...before], () => roll(`${older},${newer}`));
    const between = await collect('between');
    await underLoad([...fresh, ...before, ...between], () => roll(`${newer},${older}`));
    const after = await collect('after');
    for (const use of [...before, ...between, ...after]) await use();

    await lab.system.clock.advance(2 * dayMs);
    await underLoad([...fresh, ...(await collect('days-later'))], () => roll(newer));
    for (const use of [...fresh, ...(await collect('with-the-new-one-alone'))]) await use();
  });
});
