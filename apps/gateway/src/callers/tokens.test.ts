import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { Refusal, scopeNames, userScopes } from '#lib/contracts';
import { Issuer } from '#lib/testing';
import { gatewaySettings } from '../config.js';
import { Tokens } from './tokens.js';

const issuer = 'https://id.example';
const secret = 'a secret of at least thirty-two characters';
const common = { JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_MAX_SCOPES: scopeNames };
type TokenStores = ConstructorParameters<typeof Tokens>[0];
const told = z.object({ scope: z.string() });
/** @param onWithheld told of what is logged of a scope that a token claims and does not get */
const tokensOf = (settings: TokenStores['settings'], onWithheld: (line: z.infer<typeof told>) => void = () => undefined) =>
  new Tokens({ settings, log: { warn: (line: unknown) => onWithheld(told.parse(line)) } });
const shared = tokensOf({ ...common, JWT_JWKS_URL: undefined, JWT_SECRET: [secret] });

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
    ['sub', { sub: 'key:k1' }],
    ['sub', { sub: 'u1 ' }],
    ['sub (must be in Unicode normal form C)', { sub: 'e\u0301' }],
    ['tenant_id', { tenant_id: '*' }],
    ['tenant_id', { tenant_id: 'guests' }],
    ['tenant_id (must not hold control characters', { tenant_id: 't1\0' }],
    ['tier', { tier: 'gold' }],
    ['scope', { scope: ['admin'] }],
  ])('with a wrong claim %s is refused by its name', async (name, claims) => {
    expect((await refusalOf(shared, await signed({ ...good(), ...claims }))).message).toContain(name);
  });

  test('of another tenant or user never counts as the same credential', async () => {
    const idOf = async (tenant_id: string, sub: string) =>
      (await shared.callerOf(await signed({ ...good(), tenant_id, sub }))).credentialId;
    expect(await idOf('t1/u1', 'x')).not.toBe(await idOf('t1', 'u1/x'));
  });

  test('that was verified is known for a second, and not beyond its end', async () => {
    const tokens = tokensOf({ ...common, JWT_JWKS_URL: undefined, JWT_SECRET: [secret] });
    const [long, short] = [await signed(good()), await signed({ ...good(), exp: seconds() - 4 })];
    expect(tokens.acceptedCallerOf(long)).toBeNull();
    const caller = await tokens.callerOf(long);
    const { credentialEndsAt = 0 } = await tokens.callerOf(short);
    const now = Date.now();
    expect([tokens.acceptedCallerOf(long, now), tokens.acceptedCallerOf(long, now + 900)]).toEqual([caller, caller]);
    expect(tokens.acceptedCallerOf(long, now + 1_001)).toBeNull();
    expect(tokens.acceptedCallerOf(short, credentialEndsAt)).toBeNull();
    // Another signature is another token.
    expect(tokens.acceptedCallerOf(await signed(good(), secret.toUpperCase()))).toBeNull();
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

  test('is verified by each of several secrets, so that the issuer can change to a new one', async () => {
    const newer = 'a newer secret of at least thirty-two characters';
    const both = tokensOf({ ...common, JWT_JWKS_URL: undefined, JWT_SECRET: [newer, secret] });
    for (const key of [secret, newer]) {
      expect((await both.callerOf(await signed(good(), key))).userId).toBe('u1');
      expect((await refusalOf(both, await signed({ ...good(), exp: seconds() - 10 }, key))).message).toBe('The token has expired');
    }
    expect((await refusalOf(both, await signed(good(), `${secret}x`))).message).toBe('The token is not valid');
  });

  test.each([
    [['tools:read'], 'tools:read admin * tenant:admin', ['tools:read']],
    [['admin'], 'admin tenant:admin tools:read *', ['admin', 'tenant:admin']],
    [['*'], 'admin * act-as', ['admin', '*', 'act-as']],
    [[], 'admin tools:read openid', ['openid']],
  ] as const)('has no scope beyond %j, whatever it claims: %s', async (most, scope, has) => {
    const withheld: string[] = [];
    const bounded = tokensOf({ ...common, JWT_JWKS_URL: undefined, JWT_SECRET: [secret], JWT_MAX_SCOPES: [...most] }, ({ scope: one }) =>
      withheld.push(one),
    );
    const { scopes } = await bounded.callerOf(await signed({ ...good(), scope }));
    expect(scopes).toEqual(has);
    expect([...scopes, ...withheld].toSorted()).toEqual(scope.split(' ').toSorted());
  });

  test('of an ordinary user is bounded too', async () => {
    const bounded = tokensOf({ ...common, JWT_JWKS_URL: undefined, JWT_SECRET: [secret], JWT_MAX_SCOPES: ['tools:read'] });
    expect((await bounded.callerOf(await signed(good()))).scopes).toEqual(['tools:read']);
  });

  test('has by default every scope but those of an operator', () => {
    const { JWT_MAX_SCOPES } = z.object(gatewaySettings).pick({ JWT_MAX_SCOPES: true }).parse({});
    expect(JWT_MAX_SCOPES.toSorted()).toEqual(scopeNames.filter((scope) => scope !== 'admin' && scope !== '*').toSorted());
    expect(() => z.object(gatewaySettings).pick({ JWT_MAX_SCOPES: true }).parse({ JWT_MAX_SCOPES: 'root' })).toThrow();
  });

  test('is not accepted where no issuer or no key is configured', async () => {
    const none = { ...common, JWT_ISSUER: undefined, JWT_JWKS_URL: undefined, JWT_SECRET: [secret] };
    for (const settings of [none, { ...none, JWT_ISSUER: issuer, JWT_SECRET: undefined }])
      expect((await refusalOf(tokensOf(settings), await signed(good()))).message).toBe('Tokens are not accepted here; send an API key');
  });
});

describe('A token of an issuer with published keys', () => {
  let idp: Issuer;
  let published: Tokens;
  beforeAll(async () => {
    idp = await Issuer.start();
    published = tokensOf({ ...common, JWT_JWKS_URL: idp.url, JWT_SECRET: [secret] });
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

  /** Tokens of an issuer that answers like this when its keys are asked for. */
  async function answering(listener: RequestListener) {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const JWT_JWKS_URL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
    return {
      tokens: tokensOf({ ...common, JWT_JWKS_URL, JWT_SECRET: [secret] }),
      [Symbol.dispose]: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  test.each<[string, RequestListener]>([
    ['fails', (_request, response) => void response.writeHead(500).end()],
    ['is busy', (_request, response) => void response.writeHead(429).end()],
    ['hangs up', (request) => void request.socket.destroy()],
    ['does not answer', () => undefined],
    ['answers with a page', (_request, response) => void response.end('<html>')],
    ['answers with something else', (_request, response) => void response.end('{"keys":7}')],
    [
      'answers with far too much, compressed',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(JSON.stringify({ keys: [], padding: ' '.repeat(1024 * 1024) }))),
    ],
  ])('cannot be checked while the issuer %s: 503, and no guess', async (_, listener) => {
    using broken = await answering(listener);
    expect(await refusalOf(broken.tokens, await idp.sign(good()))).toMatchObject({
      family: 'NETWORK_ERROR',
      retry_after_ms: 1_000,
      message: "The issuer's keys cannot be read at the moment",
    });
  });

  test('cannot be checked while nothing listens at the address of the keys', async () => {
    const gone = await answering(() => undefined);
    gone[Symbol.dispose]();
    expect((await refusalOf(gone.tokens, await idp.sign(good()))).family).toBe('NETWORK_ERROR');
  });
});
