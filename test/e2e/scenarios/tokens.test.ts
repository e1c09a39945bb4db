import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpCaller, Issuer, jobListShape, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { inProcess } from '../in-process.js';

const secret = 'a shared secret of more than thirty-two characters';
const shared = 'https://shared.example';
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1_000);

/** A token signed by HMAC, or by nothing when there is no key. */
function forged(header: object, claims: object, key?: string): string {
  const body = `${encoded(header)}.${encoded(claims)}`;
  return `${body}.${key === undefined ? '' : createHmac('sha256', key).update(body).digest('base64url')}`;
}

describe('tokens', () => {
  let issuer: Issuer;
  let system: System;
  let claims: { iss: string; aud: string; sub: string; tenant_id: string; tier: string; exp: number };

  beforeAll(async () => {
    issuer = await Issuer.start();
    const published = { JWT_ISSUER: issuer.url, JWT_JWKS_URL: `${issuer.url}/jwks.json` };
    const byGateway = [published, { JWT_ISSUER: shared, JWT_SECRET: secret, JWT_AUDIENCE: 'api' }, {}];
    system = await startSystem({
      inProcess,
      gateways: 3,
      gatewayEnv: (index) => ({ AUTH_FAILURES_PER_MINUTE: '1000', ...byGateway[index] }),
    });
    claims = { iss: issuer.url, aud: 'invoq', sub: 'user_001', tenant_id: system.tenant.id, tier: 'pro', exp: now() + 300 };
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
  });

  const withToken = (token: string, gateway = 0) => new HttpCaller(system.gateways[gateway]?.url ?? '', token);
  const expectUnauthorized = async (token: string, gateway = 0) => {
    const reply = await withToken(token, gateway).get('/tools');
    expectRefusal(reply, { status: 401, code: 'UNAUTHORIZED' });
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(reply.text).not.toContain(token.slice(-20));
  };

  test('signed by a published key are taken, with tenant, user and rights from their claims', async () => {
    const user = withToken(await issuer.sign(claims));
    expectSuccess((await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope);
    expectRefusal(await user.call('user_profile_lookup', { user_id: 'user_other' }), {
      status: 403,
      code: 'PERMISSION_DENIED',
      native: 'PERMISSION_DENIED',
    });
    const reader = withToken(await issuer.sign({ ...claims, scope: 'tools:read profile:read:any' }));
    expectSuccess((await reader.call('user_profile_lookup', { user_id: 'user_other' })).envelope);
    expect((await withToken(await issuer.sign({ ...claims, scope: '' })).call('user_profile_lookup', { user_id: 'user_001' })).status).toBe(
      403,
    );
  });

  test('and keys of one user are one caller: each reads the jobs of the other', async () => {
    const byKey = await system.caller();
    const { metadata } = (await byKey.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    expect((await withToken(await issuer.sign(claims)).get(`/jobs/${metadata.job_id}`)).status).toBe(200);
    const elsewhere = withToken(await issuer.sign({ ...claims, tenant_id: 'elsewhere' }));
    expect((await elsewhere.get(`/jobs/${metadata.job_id}`)).status).toBe(404);
    expect((await elsewhere.get('/jobs')).as(jobListShape).jobs).toEqual([]);
  });

  test('of an algorithm that proves nothing are refused', async () => {
    await expectUnauthorized(forged({ alg: 'none', typ: 'JWT' }, claims));
    await expectUnauthorized(forged({ alg: 'None' }, claims, ''));
    await expectUnauthorized(forged({ alg: 'HS256', kid: 'k1' }, claims, issuer.publicKey));
    await expectUnauthorized(forged({ alg: 'HS256' }, claims, ''));
  });

  test('of another key or naming one in their header are refused', async () => {
    await using other = await Issuer.start();
    await expectUnauthorized(await other.sign(claims));
    for (const kid of ['k2', '', '../../etc/passwd', "' OR 1=1 --"]) await expectUnauthorized(await other.sign(claims, { kid }));
    await expectUnauthorized(await other.sign(claims, { headers: { jku: `${other.url}/jwks.json`, x5u: other.url } }));
    await expectUnauthorized(await other.sign(claims, { headers: { jwk: { kty: 'oct', k: 'eA' } } }));
    const [head, , signature] = (await issuer.sign(claims)).split('.');
    await expectUnauthorized(`${head}.${encoded({ ...claims, sub: 'user_other' })}.${signature}`);
  });

  test('that are expired, not yet valid, of another issuer or audience, or without an end are refused', async () => {
    const { exp: _exp, ...endless } = claims;
    const { sub: _sub, ...nobody } = claims;
    const { tenant_id: _tenant, ...homeless } = claims;
    const wrong = [
      { ...claims, exp: now() - 60 },
      { ...claims, nbf: now() + 600 },
      { ...claims, iss: 'https://evil.example' },
      { ...claims, aud: 'another' },
      { ...claims, aud: [] },
      endless,
      nobody,
      homeless,
      { ...claims, tier: 'gold' },
      { ...claims, tenant_id: '' },
    ];
    for (const one of wrong) await expectUnauthorized(await issuer.sign(one));
    await expectUnauthorized(await issuer.sign({ ...claims, sub: JSON.parse('["user_001"]') }));
    for (const text of ['a.b.c', 'eyJhbGciOiJSUzI1NiJ9..', `${await issuer.sign(claims)}x`]) await expectUnauthorized(text);
  });

  test('of a shared secret are taken where that is configured, and only of that', async () => {
    const own = { ...claims, iss: shared, aud: 'api' };
    const good = forged({ alg: 'HS256' }, own, secret);
    expectSuccess((await withToken(good, 1).call('user_profile_lookup', { user_id: 'user_001' })).envelope);
    await expectUnauthorized(forged({ alg: 'HS256' }, own, `${secret}!`), 1);
    await expectUnauthorized(forged({ alg: 'none' }, own), 1);
    await expectUnauthorized(forged({ alg: 'HS512' }, own, secret), 1);
    await expectUnauthorized(forged({ alg: 'HS256' }, { ...own, aud: 'invoq' }, secret), 1);
    await expectUnauthorized(await issuer.sign({ ...own }), 1);
    await expectUnauthorized(good, 0);
  });

  test('are not taken where no issuer is configured', async () => {
    await expectUnauthorized(await issuer.sign(claims), 2);
    expect((await (await system.caller()).at(system.gateways[2]?.url ?? '').get('/tools')).status).toBe(200);
  });
});
