// Clients that listen for changes of resources of outside servers, at /mcp by the official client, in both kinds of revisions.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, startTimeoutMs, Tenant } from '#lib/testing';
import { inbox, startAccountServer, type AccountServer } from '../account-server.js';
import { inProcess } from '../in-process.js';
import { openListener, type Listener, type ListenerOptions } from '../listener.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(120_000);

/** A worker looks every two seconds what clients listen for. */
const soon = { withinMs: 25_000 };

let outside: OutsideSystem;
let mail: AccountServer;
const listeners: Listener[] = [];
/** Whether some of the streams were let go that a test no longer needed. It takes a minute. */
const letGo: (() => boolean)[] = [];

beforeAll(async () => {
  outside = await startOutsideSystem({ inProcess });
  mail = await startAccountServer(outside);
}, startTimeoutMs);
afterAll(async () => {
  await Promise.all(listeners.map(({ client }) => client.close().catch(() => undefined)));
  await mail?.[Symbol.asyncDispose]();
  await outside?.[Symbol.asyncDispose]();
});

async function listener(options: ListenerOptions & { readonly gateway: number; readonly query?: string }): Promise<Listener> {
  const url = new URL(`/mcp${options.query ?? ''}`, outside.system.gateways[options.gateway]?.url);
  const one = await openListener(url, options);
  listeners.push(one);
  return one;
}

describe('subscriptions at a server with accounts', () => {
  /** Counts open streams of accounts that were connected since. */
  function ownStreams(): (until?: ReadonlySet<string>) => number {
    const before = new Set(mail.streams.keys());
    return (until = new Set(mail.streams.keys())) =>
      [...until].reduce((sum, token) => (before.has(token) ? sum : sum + (mail.streams.get(token) ?? 0)), 0);
  }

  async function listening(userId: string, { mode = 'auto', gateway = 0 }: { mode?: 'auto' | 'legacy'; gateway?: number } = {}) {
    const one = await listener({ mode, gateway, key: await mail.keyOf(userId) });
    return { ...one, listen: async () => one.listen(inbox) };
  }

  test.each(['auto', 'legacy'] as const)('reach the user whose account it is, and no other: mode %s', async (mode) => {
    const [ann, bob] = await Promise.all([mail.userOf(`ann_${mode}`), mail.userOf(`bob_${mode}`)]);
    const open = ownStreams();
    await mail.connect(ann);
    const ofAnn = await Promise.all([0, 1].map(async (gateway) => listening(`ann_${mode}`, { mode, gateway })));
    const ofBob = await listening(`bob_${mode}`, { mode });
    for (const { listen } of ofAnn) await listen();
    // Bob has no account there.
    if (mode === 'legacy') await expect(ofBob.listen()).rejects.toThrow('Connect your mail account');
    else await ofBob.listen();
    await eventually(() => ofAnn.every(({ heard }) => heard.length === 1), soon);
    mail.server.update('mail://inbox');
    await eventually(() => ofAnn.every(({ heard }) => heard.length === 2), soon);
    expect(ofBob.heard).toEqual([]);
    // Each has a subscription of their own.
    const before = open();
    await mail.connect(bob);
    if (mode === 'legacy')
      await eventually(
        async () =>
          ofBob.listen().then(
            () => true,
            () => false,
          ),
        soon,
      );
    await eventually(() => ofBob.heard.length === 1, soon);
    expect(open()).toBeGreaterThan(before);
    mail.server.update('mail://inbox');
    await eventually(() => ofBob.heard.length === 2 && ofAnn.every(({ heard }) => heard.length === 3), soon);
    const own = new Set(mail.streams.keys());
    const all = open(own);
    await Promise.all([...ofAnn, ofBob].map(({ client }) => client.close()));
    letGo.push(() => open(own) < all);
  });

  test('end when the account is revoked, and begin again when it is connected', async () => {
    const ann = await mail.userOf('ann_revokes');
    const open = ownStreams();
    await mail.connect(ann);
    const { client, heard, listen } = await listening('ann_revokes');
    await listen();
    await eventually(() => heard.length === 1, soon);
    const before = open();
    await mail.revoke(ann);
    await eventually(() => open() < before, soon);
    mail.server.update('mail://inbox');
    await pause(3_000);
    expect(heard).toHaveLength(1);
    await mail.connect(ann);
    await eventually(() => heard.length === 2, { withinMs: 30_000 });
    mail.server.update('mail://inbox');
    await eventually(() => heard.length === 3, soon);
    await client.close();
  });
});

describe('changes of resources of outside servers', () => {
  async function connect(
    mode: 'auto' | 'legacy',
    { key, gateway = 0, query = '' }: { key?: string; gateway?: number; query?: string } = {},
  ) {
    return listener({ mode, gateway, query, key: key ?? (await outside.system.tenant.key()) });
  }

  async function withServer(more: object = {}) {
    const there = await outside.withServer([tool('look', { annotations: { readOnlyHint: true } })]);
    there.server.resources = ['file:///a', 'file:///b'].map((uri) => ({ uri, name: uri }));
    await outside.register({ name: there.name, url: `${there.server.url}/mcp`, ...more });
    return { ...there, at: (uri: string) => `outside://${there.name}/${uri}` };
  }

  test.each(['auto', 'legacy'] as const)('reach who listens for them, under our names, at every gateway: mode %s', async (mode) => {
    await using there = await withServer();
    const { server, at } = there;
    const both = await Promise.all([0, 1].map(async (gateway) => connect(mode, { gateway })));
    const [other] = await Promise.all([connect(mode), ...both.map(async ({ listen }) => listen(at('file:///a')))]);
    await other.listen(at('file:///b'));
    // Each is told of once when the worker begins to listen.
    await eventually(() => [...both, other].every(({ heard }) => heard.length === 1), soon);
    server.update('file:///a');
    await eventually(() => both.every(({ heard }) => heard.length === 2), soon);
    expect(both.map(({ heard }) => new Set(heard))).toEqual([new Set([at('file:///a')]), new Set([at('file:///a')])]);
    expect(other.heard).toEqual([at('file:///b')]);
    // A break of the connection to the server: the worker listens again, and tells of it, because a change may have been missed.
    server.breakConnections();
    await eventually(() => both.every(({ heard }) => heard.length === 3), soon);
    server.update('file:///a');
    await eventually(() => both.every(({ heard }) => heard.length === 4), soon);
  });

  test('end with an unsubscription, and with a server that is removed', async () => {
    await using there = await withServer();
    const { server, at, name } = there;
    const [leaves, stays] = await Promise.all([connect('legacy'), connect('legacy')]);
    for (const { listen } of [leaves, stays]) await listen(at('file:///a'));
    await eventually(() => stays.heard.length === 1 && leaves.heard.length === 1, soon);
    await leaves.client.unsubscribeResource({ uri: at('file:///a') });
    server.update('file:///a');
    await eventually(() => stays.heard.length === 2, soon);
    expect(leaves.heard).toHaveLength(1);
    await outside.admin.delete(`/mcp/servers/${name}`);
    server.update('file:///a');
    await pause(1_500);
    expect(stays.heard).toHaveLength(2);
    await expect(leaves.listen(at('file:///a'))).rejects.toThrow(/not found/i);
  });

  test.each(['auto', 'legacy'] as const)('are for those alone who may read them: mode %s', async (mode) => {
    await using there = await withServer({ tenants: 'own' });
    await using tenant = await Tenant.create(outside.databaseUrl);
    const uri = there.at('file:///a');
    const meant = await connect(mode);
    const others = await Promise.all([
      connect(mode, { key: await tenant.key() }),
      connect(mode, { key: await outside.system.tenant.key({ tools: ['calc_metrics'] }) }),
      connect(mode, { query: '?domain=profile' }),
    ]);
    await meant.listen(uri);
    for (const { listen } of others) await listen(uri).catch((error: unknown) => expect(String(error)).toMatch(/not found/i));
    await eventually(() => meant.heard.length === 1, soon);
    there.server.update('file:///a');
    await eventually(() => meant.heard.length === 2, soon);
    expect(others.map(({ heard }) => heard)).toEqual([[], [], []]);
  });

  test('of a server that floods come at most once a second', async () => {
    await using there = await withServer();
    const { heard, listen } = await connect('auto');
    await listen(there.at('file:///a'));
    await eventually(() => heard.length === 1, soon);
    const flood = setInterval(() => {
      there.server.update('file:///a');
      there.server.update('file:///b');
    }, 2);
    await pause(4_000);
    clearInterval(flood);
    expect(heard.length).toBeGreaterThan(2);
    expect(heard.length).toBeLessThan(8);
    expect(new Set(heard)).toEqual(new Set([there.at('file:///a')]));
  });

  test('have bounds for each client, and a session to belong to', async () => {
    await using there = await withServer();
    const { client, listen } = await connect('legacy');
    await listen(...Array.from({ length: 100 }, (_, index) => there.at(`file:///${index}`)));
    await expect(listen(there.at('file:///more'))).rejects.toThrow('no room for another subscription');
    await listen(there.at('file:///1'));
    await client.unsubscribeResource({ uri: there.at('file:///1') });
    await listen(there.at('file:///more'));
    const modern = await connect('auto');
    const many = Array.from({ length: 101 }, (_, index) => there.at(`file:///${index}`));
    await expect(modern.listen(...many)).rejects.toThrow();
    const bare = await outside.user.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: there.at('file:///a') } },
      { 'mcp-protocol-version': '2025-11-25', accept: 'application/json' },
    );
    expect(bare.text).toContain('A subscription is of a session');
  });
});

test('streams of changes end when nobody listens any more', async () => {
  expect(letGo).toHaveLength(2);
  await eventually(() => letGo.every((done) => done()), { withinMs: 90_000 });
});
