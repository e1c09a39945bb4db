import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { Refusal, userScopes } from '#lib/contracts';
import { Issuer } from '#lib/testing';
import { Tokens } from './tokens.js';

const issuer = 'https://id.example';
const secret = 'a secret of at least thirty-two characters';
const shared = new Tokens({ JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_JWKS_URL: undefined, JWT_SECRET: secret });

const seconds = () => Math.floor(Date.now() / 1_000);
const good = () => ({ iss: issuer, aud: 'invoq', sub: 'u1', tenant_id: 't1', exp: seconds() + 60 });

async function signed(claims: object, key = secret, alg = 'HS256'): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key));
}

async function refusalOf(tokens: Tokens, token: string): Promise<Refusal['error']> {
  const error: unknown = await tokens.callerOf(token).catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error(`not refused: ${String(error)}`);
  return error.error;
}

describe('A token', () => {
  test('names its caller, with the rights of an ordinary user unless it says which', async () => {
    expect(await shared.callerOf(await signed(good()))).toEqual({
      tenantId: 't1',
      userId: 'u1',
      tier: 'free',
      scopes: userScopes,
      credentialId: 'jwt:t1/u1',
      credentialEndsAt: expect.any(Number),
    });
    const wider = await shared.callerOf(await signed({ ...good(), tier: 'vip', scope: 'tools:read  admin' }));
    expect(wider).toMatchObject({ tier: 'vip', scopes: ['tools:read', 'admin'] });
    expect((await shared.callerOf(await signed({ ...good(), scope: '' }))).scopes).toEqual([]);
  });

  test.each([
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another audience', { aud: 'other' }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1_000) + 3_600 }],
  ])('%s is refused', async (_, claims) => {
    expect(await refusalOf(shared, await signed({ ...good(), ...claims }))).toMatchObject({
      family: 'UNAUTHORIZED',
      message: 'The token is not valid',
    });
  });

  test.each([
    ['tenant_id', { tenant_id: undefined }],
    ['tenant_id', { tenant_id: '' }],
    ['tenant_id', { tenant_id: 'x'.repeat(129) }],
    ['sub', { sub: 'x'.repeat(129) }],
    ['tier', { tier: 'gold' }],
    ['scope', { scope: ['admin'] }],
  ])('with a wrong claim %s is refused by its name', async (name, claims) => {
    expect((await refusalOf(shared, await signed({ ...good(), ...claims }))).message).toContain(name);
  });

  test('is good until five seconds after its end, and not after', async () => {
    expect((await shared.callerOf(await signed({ ...good(), exp: seconds() - 2 }))).userId).toBe('u1');
    expect((await refusalOf(shared, await signed({ ...good(), exp: seconds() - 10 }))).message).toBe('The token has expired');
  });

  test.each([
    ['another key', async () => signed(good(), 'another secret of more than thirty-two characters')],
    ['another algorithm', async () => signed(good(), `${secret}${secret}`, 'HS512')],
    [
      'no signature',
      async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(good())).toString('base64url')}.`,
    ],
    ['no token', async () => 'x'],
  ])('with %s is refused', async (_, token) => {
    expect((await refusalOf(shared, await token())).family).toBe('UNAUTHORIZED');
  });

  test('is not accepted where no issuer or no key is configured', async () => {
    const none = { JWT_ISSUER: undefined, JWT_AUDIENCE: 'invoq', JWT_JWKS_URL: undefined, JWT_SECRET: secret };
    for (const settings of [none, { ...none, JWT_ISSUER: issuer, JWT_SECRET: undefined }])
      expect((await refusalOf(new Tokens(settings), await signed(good()))).message).toBe('Tokens are not accepted here; send an API key');
  });
});

describe('A token of an issuer with published keys', () => {
  let idp: Issuer;
  let published: Tokens;
  beforeAll(async () => {
    idp = await Issuer.start();
    published = new Tokens({ JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_JWKS_URL: idp.url, JWT_SECRET: secret });
  });
  afterAll(async () => idp[Symbol.asyncDispose]());

  test('is verified by them', async () => {
    expect((await published.callerOf(await idp.sign(good()))).credentialId).toBe('jwt:t1/u1');
  });

  test('is refused when it names another key', async () => {
    expect((await refusalOf(published, await idp.sign(good(), { kid: 'k2' }))).family).toBe('UNAUTHORIZED');
  });

  test('is refused when the public key was used as the secret of an HMAC, or the shared secret is used', async () => {
    expect((await refusalOf(published, await signed(good(), idp.publicKey))).family).toBe('UNAUTHORIZED');
    expect((await refusalOf(published, await signed(good()))).family).toBe('UNAUTHORIZED');
  });

  test('is refused when the key set is too large, compressed or not', async () => {
    const keys: unknown = await (await fetch(idp.url)).json();
    const body = gzipSync(JSON.stringify(Object.assign({ padding: ' '.repeat(1024 * 1024) }, keys)));
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const JWT_JWKS_URL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
    const flooded = new Tokens({ JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_JWKS_URL, JWT_SECRET: secret });
    await expect(flooded.callerOf(await idp.sign(good()))).rejects.toThrow();
    server.closeAllConnections();
    server.close();
  });
});
