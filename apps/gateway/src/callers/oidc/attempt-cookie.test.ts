import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { Sealer } from '#lib/transport';
import { AttemptCookie, attemptMs, newAttempt } from './attempt-cookie.js';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });
const [ours, theirs] = [new Sealer([keyOf('ours')]), new Sealer([keyOf('theirs')])];
let now = Date.now();
const app = fastify({ trustProxy: true });
for (const [name, sealer] of Object.entries({ ours, theirs }))
  app.get(`/${name}`, async (request, reply) => {
    new AttemptCookie(sealer).keep(request, reply, newAttempt('/console/calls', now));
    return '';
  });
app.get('/take', async (request, reply) => ({ kept: new AttemptCookie(ours).take(request, reply, now) }));
afterAll(async () => app.close());

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => app.inject({ url, headers });
const cookieOf = async (url: string, headers?: Readonly<Record<string, string>>) => String((await get(url, headers)).headers['set-cookie']);
const taken = async (cookie: string): Promise<unknown> => (await get('/take', { cookie })).json().kept;

test('the browser that began goes on, within ten minutes, and once', async () => {
  const line = await cookieOf('/ours');
  expect(line).toMatch(/^invoq_sign_in=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect(line).not.toContain('console');
  const [cookie = ''] = line.split(';');
  expect(await taken(cookie)).toMatchObject({ to: '/console/calls' });
  expect((await get('/take', { cookie })).headers['set-cookie']).toMatch(/^invoq_sign_in=; Path=\/; Max-Age=0;/);
  now += attemptMs;
  expect(await taken(cookie)).toBeNull();
});

test.each(['', 'invoq_sign_in=', 'invoq_sign_in=sealed.ours.AAAA', 'other=x', '__Host-invoq_sign_in=x'])(
  '%j is no attempt',
  async (cookie) => {
    expect(await taken(cookie)).toBeNull();
  },
);

test('one that another key has sealed, or was altered, is none', async () => {
  const [foreign = ''] = (await cookieOf('/theirs')).split(';');
  const [own = ''] = (await cookieOf('/ours')).split(';');
  expect(await taken(foreign)).toBeNull();
  expect(await taken(foreign.replace('theirs', 'ours'))).toBeNull();
  expect(await taken(`${own.slice(0, -2)}AA`)).toBeNull();
});

test('by HTTPS it is a cookie that no other host can have set', async () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const line = await cookieOf('/ours', headers);
  expect(line).toMatch(/^__Host-invoq_sign_in=.*; Secure$/);
  const [cookie = ''] = line.split(';');
  expect((await get('/take', { cookie: cookie.replace('__Host-', ''), ...headers })).json()).toEqual({ kept: null });
});
