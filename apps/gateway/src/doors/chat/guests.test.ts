import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { isGuest, type Caller } from '#lib/contracts';
import { guestOf } from './guests.js';

const app = fastify({ trustProxy: true });
app.get('/', (request, reply) => ({ guest: guestOf(request, reply) }));

async function visit({ cookie, address = '192.0.2.7', https = false }: { cookie?: string; address?: string; https?: boolean } = {}) {
  const headers = { ...(cookie !== undefined && { cookie }), ...(https && { 'x-forwarded-proto': 'https' }) };
  const answer = await app.inject({ url: '/', headers, remoteAddress: address });
  const { guest }: { guest: Caller } = answer.json();
  const set = answer.headers['set-cookie'];
  return { guest, set: typeof set === 'string' ? set : null };
}

describe('A guest', () => {
  test('may read, is of no tenant of ours, and gets a cookie for the session of its browser', async () => {
    const { guest, set } = await visit();
    expect(isGuest(guest)).toBe(true);
    expect(guest).toMatchObject({ tier: 'free', scopes: ['tools:read'] });
    expect(set).toMatch(/^invoq_guest=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await visit({ https: true })).set).toMatch(/; Secure$/);
  });

  test('that has hung up has no address, and is a guest all the same', async () => {
    await using server = fastify();
    const seen = Promise.withResolvers<Caller>();
    server.get('/', async (request, reply) => {
      request.raw.socket.destroy();
      await once(request.raw.socket, 'close');
      seen.resolve(Promise.resolve().then(() => guestOf(request, reply)));
    });
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    await fetch(url).catch(() => undefined);
    expect(isGuest(await seen.promise)).toBe(true);
  });

  test('is known again by the cookie, wherever it comes from', async () => {
    const { guest, set } = await visit();
    const cookie = set?.split(';')[0] ?? '';
    const again = await visit({ cookie: `other=1; ${cookie}; more=2`, address: '198.51.100.1' });
    expect([again.guest.userId, again.set]).toEqual([guest.userId, null]);
    expect((await visit()).guest.userId).not.toBe(guest.userId);
  });

  test('has a user id that the value of the cookie cannot be read from', async () => {
    const { guest, set } = await visit();
    const session = /^invoq_guest=([^;]+)/.exec(set ?? '')?.[1] ?? '';
    expect(session).toHaveLength(32);
    expect(JSON.stringify(guest)).not.toContain(session);
    expect(guest.userId).toBe(`guest-${createHash('sha256').update(session).digest('base64url')}`);
    // The id sent back as a cookie does not make its sender the guest.
    expect((await visit({ cookie: `invoq_guest=${guest.userId?.slice(6, 38)}` })).guest.userId).not.toBe(guest.userId);
  });

  test.each([
    'invoq_guest=',
    'invoq_guest=short',
    `invoq_guest=${'a'.repeat(33)}`,
    `invoq_guest=${'*'.repeat(32)}`,
    `xinvoq_guest=${'a'.repeat(32)}`,
  ])('with a cookie that is not ours is a new one: %s', async (cookie) => {
    expect((await visit({ cookie })).set).not.toBeNull();
  });
});

describe('What is counted', () => {
  const countedAt = async (address: string) => (await visit({ address })).guest.credentialId;

  test.each([
    ['192.0.2.7', '::ffff:192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['::1', '::2'],
  ])('is the same for %s and %s', async (one, other) => {
    expect(await countedAt(one)).toBe(await countedAt(other));
  });

  test.each([
    ['192.0.2.7', '192.0.2.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1', '2001:db9::1'],
  ])('differs for %s and %s', async (one, other) => {
    expect(await countedAt(one)).not.toBe(await countedAt(other));
  });
});
