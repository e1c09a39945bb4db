// Clients that listen for changes at a server which acts with the accounts of its callers.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, startTimeoutMs } from '#lib/testing';
import { inbox, startAccountServer, type AccountServer } from '../account-server.js';
import { inProcess } from '../in-process.js';
import { openListener, type Listener } from '../listener.js';
import { startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(120_000);

const soon = { withinMs: 25_000 };

describe('subscriptions at a server with accounts', () => {
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

  /** Counts open streams of accounts that were connected since. */
  function ownStreams(): (until?: ReadonlySet<string>) => number {
    const before = new Set(mail.streams.keys());
    return (until = new Set(mail.streams.keys())) =>
      [...until].reduce((sum, token) => (before.has(token) ? sum : sum + (mail.streams.get(token) ?? 0)), 0);
  }

  async function listening(userId: string, { mode = 'auto', gateway = 0 }: { mode?: 'auto' | 'legacy'; gateway?: number } = {}) {
    const url = new URL('/mcp', outside.system.gateways[gateway]?.url);
    const listener = await openListener(url, { mode, key: await mail.keyOf(userId) });
    listeners.push(listener);
    return { ...listener, listen: async () => listener.listen(inbox) };
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

  test('end when nobody listens any more', async () => {
    expect(letGo).toHaveLength(2);
    await eventually(() => letGo.every((done) => done()), { withinMs: 90_000 });
  });
});
