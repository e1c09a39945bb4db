// The product on a Redis Cluster of three masters, each process under its own user. Failovers and moved slots under load: npm run failover.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { budget } from '#lib/contracts';
import { acceptedShape, AppProcess, eventually, givenStores, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { checkRedis, partitionOf as onlyPartitionOf, RedisKeys } from '#lib/transport';
import { pickPort } from '../../../scripts/provision/ports.js';
import { startCluster, type RedisNode, type RedisNodes } from '../../../scripts/provision/private-cluster.js';
import { callAtEveryDoor } from '../call-at-every-door.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { newUsers, type RedisUsers } from '../redis-with-users.js';

jest.setTimeout(startTimeoutMs);

const stateShape = z.looseObject({ state: z.string() });

/** The partition that a job id names. */
const partitionOf = (jobId: string | null | undefined) => String(jobId).split('_')[1] ?? '';

describe('on a cluster of three masters, with the least rights', () => {
  let cluster: RedisNodes;
  let users: RedisUsers;
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;

  beforeAll(async () => {
    cluster = await startCluster({ masters: 3, nodeTimeoutMs: 2_000 });
    users = newUsers();
    for (const line of users.lines) for (const node of cluster.nodes) await node.admin.call('acl', 'setuser', ...line.split(' ').slice(1));
    const as = (name: Parameters<RedisUsers['credentialOf']>[0]) => ({
      // One of the servers that it names is down.
      REDIS_URL: cluster.settings.REDIS_URL.replace('//', `//${users.credentialOf(name)}@127.0.0.1:1,`),
      REDIS_MODE: 'cluster',
    });
    lab = await startLabSystem({
      stores: { redisUrl: cluster.nodes[0]?.store.url ?? '', databaseUrl: givenStores().databaseUrl },
      // Workers write with rights of their own.
      inProcess,
      apart: ['workers', 'more'],
      gateways: 2,
      gatewayEnv: as('GATEWAY'),
      workerEnv: as('PROFILE'),
      env: { INVOQ_NAMESPACE: 'invoq', DOMAINS: 'profile,agent', PARTITIONS: '5' },
      more: [{ main: 'dist/apps/agent-worker/src/main.js', env: as('AGENT') }],
    });
    system = lab.system;
    user = await system.caller();
    admin = await system.admin();
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, startTimeoutMs);

  test('a client of a single server that meets one of its nodes is told which setting is wrong', async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const domains = ['profile', 'knowledge', 'memotree', 'stripe', 'perception', 'agent'] as const;
    const checked = checkRedis(node.admin, { keys: new RedisKeys('invoq'), partitions: domains.map(onlyPartitionOf), needed: [] });
    await expect(checked).rejects.toThrow(/127\.0\.0\.1:\d+ is a node of a cluster; set REDIS_MODE=cluster$/);
  });

  const readiness = async (url: string) => system.anonymous.at(url).get('/readyz');

  test('a process in single mode at any one node says so at /readyz, also where that node has its domain', async () => {
    const { databaseUrl } = givenStores();
    const mains = [
      ['dist/apps/gateway/src/main.js', users.credentialOf('GATEWAY')],
      ['dist/apps/profile-worker/src/main.js', users.credentialOf('PROFILE')],
    ] as const;
    for (const { store } of cluster.nodes)
      for (const [main, credential] of mains) {
        const port = await pickPort();
        await using app = new AppProcess({
          root: process.cwd(),
          main,
          logFile: join(system.logFolder, `single-${port}.log`),
          env: {
            NODE_ENV: 'test',
            HOST: '127.0.0.1',
            PORT: String(port),
            HEALTH_PORT: String(port),
            INVOQ_NAMESPACE: 'invoq',
            DOMAINS: 'profile',
            REDIS_URL: store.url.replace('//', `//${credential}@`),
            DATABASE_URL: databaseUrl,
            SEALING_KEYS: `k1:${'A'.repeat(43)}=`,
          },
        });
        app.launch();
        const url = `http://127.0.0.1:${port}`;
        await eventually(
          async () =>
            (await readiness(url).catch(() => null))?.text.includes(
              `${new URL(store.url).host} is a node of a cluster; set REDIS_MODE=cluster`,
            ),
          { withinMs: 30_000, what: `what is wrong, at ${main} ${port}` },
        );
      }
  });
  const apps = () => [...system.gateways, ...system.workers, ...system.more];
  const allReady = async () => {
    for (const app of apps())
      await eventually(async () => (await readiness(app.url)).status === 200, { withinMs: 30_000, what: `${app.url} ready` });
  };
  /** The node that has the keys of a domain. */
  const nodeOf = async (domain: string): Promise<{ readonly node: RedisNode; readonly slot: number }> => {
    const [any] = cluster.nodes;
    if (!any) throw new Error('no node');
    const slot = Number(await any.admin.call('cluster', 'keyslot', `{invoq:${domain}}`));
    for (const node of cluster.nodes) {
      const counted = await node.admin.set(`{invoq:${domain}}:owner`, 'v', 'PX', 1).catch(() => null);
      if (counted === 'OK') return { node, slot };
    }
    throw new Error(`no node has the slot of ${domain}`);
  };

  test('a call succeeds at every door, and no script names keys of two slots', async () => {
    await allReady();
    const other = user.at(system.gateways[1]?.url ?? '');
    await callAtEveryDoor(lab, { user, other });
    await using turn = await user.stream('/chat/v5/stream', { method: 'POST', json: { message: 'hello' } });
    expect((await turn.rest()).length).toBeGreaterThan(0);
    const { metadata } = (await user.call('lab_cached', { order: 'traced' })).envelope;
    await eventually(async () => (await user.get(`/traces/${metadata.trace_id}`)).status === 200, { what: 'a trace' });
    const queues = '/admin/queues/api/queues';
    const queue = encodeURIComponent(partitionOf(metadata.job_id));
    expect((await admin.get(`${queues}?activeQueue=${queue}&status=completed&page=1&jobsPerPage=20`)).status).toBe(200);
    expect((await admin.get(`${queues}/${queue}/${metadata.job_id}`)).status).toBe(200);
    for (const node of cluster.nodes) {
      expect(await node.admin.info('errorstats')).not.toMatch(/CROSSSLOT|NOPERM|WRONGTYPE/);
      expect(JSON.stringify(await node.admin.call('acl', 'log'))).toBe('[]');
    }
  });

  test('the calls of one domain are on all masters, and each user keeps to one partition', async () => {
    const partitions = new Set<string>();
    for (let n = 0; n < 40 && partitions.size < 5; n++) {
      const one = await system.caller({ userId: `user_${n}` });
      const calls = [await one.call('lab_cached', { order: `here ${n}` }), await one.call('lab_cached', { order: `there ${n}` })];
      const [here, there] = calls.map(({ envelope: { metadata } }) => partitionOf(metadata.job_id));
      expect(here).toBe(there);
      partitions.add(String(here));
    }
    expect(partitions).toEqual(new Set(['profile', 'profile~1', 'profile~2', 'profile~3', 'profile~4']));
    for (const { admin: node } of cluster.nodes) expect((await node.keys('{invoq:profile*:invocation:*')).length).toBeGreaterThan(0);
  });

  test('calls of several partitions wait in one line of a flow, run one at a time, and are spent in one budget', async () => {
    const tenant = await system.caller({ userId: null, tier: 'vip', scopes: ['tenant:admin'] });
    const put = async (path: string, json: object) => expect((await tenant.request(path, { method: 'PUT', json })).status).toBe(201);
    await put('/flows/one', { tool: 'lab_paid', concurrency: 1 });
    await put('/budgets/paid', { tool: 'lab_paid', period: 'month', limit_micros: 1_000_000 });
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order.startsWith('in line ') });
    const callers = await Promise.all(Array.from({ length: 6 }, async (_, n) => system.caller({ userId: `in_line_${n}`, tier: 'vip' })));
    const calls = await Promise.all(
      callers.map(async (one, n) => {
        const reply = await one.post('/tools/lab_paid', { order: `in line ${n}` }, { prefer: 'respond-async' });
        return { one, id: reply.as(acceptedShape).job_id };
      }),
    );
    expect(new Set(calls.map(({ id }) => partitionOf(id))).size).toBeGreaterThan(1);
    const states = async () => Promise.all(calls.map(async ({ one, id }) => (await one.get(`/jobs/${id}`)).as(stateShape).state));
    await eventually(() => hold.calls.length === 1, { withinMs: 30_000, what: 'the first of the line' });
    expect((await states()).filter((state) => state === 'resting')).toHaveLength(calls.length - 1);
    expect(hold.calls).toHaveLength(1);
    hold.release();
    await eventually(async () => (await states()).every((state) => state === 'completed'), { withinMs: 30_000, what: 'the end of all' });
    const spent = async () => (await tenant.get('/budgets/paid')).as(budget).spent;
    await eventually(async () => (await spent()).reserved_calls === 0, { withinMs: 30_000, what: 'the end of all reservations' });
    expect(await spent()).toMatchObject({ calls: calls.length, micros: calls.length * 17 });
    for (const path of ['/flows/one', '/budgets/paid']) expect((await tenant.delete(path)).status).toBe(200);
    for (const node of cluster.nodes) expect(await node.admin.info('errorstats')).not.toMatch(/CROSSSLOT|NOPERM|WRONGTYPE/);
  });

  test('the traces of a tenant are on several masters', async () => {
    const lists = async () => Promise.all(cluster.nodes.map(async ({ admin: node }) => (await node.keys('{invoq:traces:*')).length));
    const spread = async () => {
      await user.call('lab_cached', { order: 'spread' });
      return (await lists()).filter((count) => count > 2).length > 1;
    };
    await eventually(spread, { withinMs: 60_000, what: 'lists of spans on two masters' });
  });

  test('a master that may evict keys is named by readiness, of each process that uses it', async () => {
    const { node } = await nodeOf('profile');
    await node.admin.config('SET', 'maxmemory-policy', 'volatile-lru');
    const told = `127.0.0.1:${node.port}: may evict keys (maxmemory-policy volatile-lru, must be noeviction)`;
    for (const app of apps()) {
      const { status, body } = await readiness(app.url);
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining(told)]);
    }
    await node.admin.config('SET', 'maxmemory-policy', 'noeviction');
    await allReady();
  });

  test('without the right to INFO readiness says so, and calls go on', async () => {
    const nodes = cluster.nodes.map(({ admin: node }) => node);
    for (const node of nodes) await node.call('acl', 'setuser', 'gateway', '-info');
    const { status, body } = await readiness(system.gateway.url);
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/NOPERM[^"]*info/)]);
    expect((await user.call('lab_cached', { order: 'uninformed' })).envelope.success).toBe(true);
    for (const node of nodes) await node.call('acl', 'setuser', 'gateway', '+info');
    await allReady();
  });

  test('while a slot is served by nobody every door says 503 and when to come back; then all goes on', async () => {
    const { node, slot } = await nodeOf('profile');
    await using restored = new AsyncDisposableStack();
    const restore = async () => node.admin.cluster('ADDSLOTS', slot).catch(() => undefined);
    restored.defer(async () => void (await restore()));
    const waiting = (await user.post('/tools/lab_steps', { order: 'waits', steps: 8, step_ms: 500 }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    await eventually(() => lab.ledger.of('waits').notes.length > 0, { what: 'a running call' });
    await Promise.all(cluster.nodes.map(async ({ admin: each }) => each.cluster('DELSLOTS', slot)));
    const saysWhy = async () => {
      const { status, body } = await readiness(system.gateway.url);
      return status === 503 && /profile[^"]*: CLUSTERDOWN/.test(JSON.stringify(body));
    };
    // On a busy machine it may say first that there is no answer.
    await eventually(saysWhy, { what: 'a gateway that is not ready, and says why' });
    const order = { order: 'refused' };
    const doors = {
      sync: user.post('/tools/lab_cached', order),
      async: user.post('/tools/lab_cached', order, { prefer: 'respond-async' }),
      sse: user.get('/tools/lab_steps/sse?order=refused&steps=1&step_ms=1'),
      list: user.get('/jobs'),
      ticket: user.post('/tickets', {}),
      job: user.get(waiting.links.self),
    };
    for (const [door, asked] of Object.entries(doors)) {
      const { status, headers, text } = await asked;
      expect([door, status, Number(headers.get('retry-after')) > 0, text]).toEqual([door, 503, true, expect.any(String)]);
    }
    // Doors whose calls have answers of their own.
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'lab_cached', arguments: order } };
    const inner = await Promise.all([
      user.post('/tools/batch', { calls: [{ id: 1, name: 'lab_cached', arguments: order }] }),
      user.post('/mcp', call, { accept: 'application/json, text/event-stream' }),
    ]);
    for (const { text } of inner) expect(text).toMatch(/NETWORK_ERROR[^]*retry_after_ms/);
    expect((await user.post('/chat/v5/stream', { message: 'refused' })).text).toMatch(/The queue cannot be reached/);
    await restore();
    await allReady();
    expect((await user.get(`${waiting.links.self}?wait=20`)).as(jobShape)).toMatchObject({ state: 'completed' });
    // The queue's own loop may rest for 15 s after a fault of its connection.
    const works = async () => (await user.call('lab_cached', { order: 'back' })).envelope.success;
    await eventually(works, { withinMs: 40_000, what: 'a call that succeeds again' });
  });
});
