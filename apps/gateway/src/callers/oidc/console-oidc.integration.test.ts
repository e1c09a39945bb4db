import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { consoleIssuerShown, consoleSession, consoleSignedOut } from '#lib/contracts';
import { SignInIssuer } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

const page = { 'sec-fetch-site': 'same-origin', 'x-invoq-console': '1' };
// The issuer wants to know where browsers go back to before the gateway has a port.
const place = 'http://console.test';

let issuer: SignInIssuer;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await SignInIssuer.start({ places: [place] });
  gateway = await startTestGateway({ handler: null, settings: { ...issuer.settings, PUBLIC_URL: place } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});
beforeEach(() => {
  issuer.user = { sub: 'alice', tenant_id: 'acme' };
  issuer.consents = true;
  issuer.alter = null;
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Follows one redirect after the other, with cookies of its own. */
class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  async get(address: string, { headers, ...init }: Asked = {}): Promise<Response> {
    const url = new URL(address.replace(place, gateway.url));
    const jar = this.#jars.get(url.origin) ?? new Map<string, string>();
    this.#jars.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Where the issuer sends it back to, before it goes there. */
  async signInAtIssuer(to = ''): Promise<string> {
    let at = `${place}/console/oidc/begin${to}`;
    for (let hops = 0; hops < 12; hops++) {
      const response = await this.get(at);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at} goes nowhere: ${response.status} ${await response.text()}`);
      at = new URL(location, at).href;
      if (at.startsWith(`${place}/`)) return at;
    }
    throw new Error('it goes on for ever');
  }

  /** The address on which it ends, of the gateway. */
  async signIn(to = ''): Promise<string> {
    return this.comeBack(await this.signInAtIssuer(to));
  }

  async comeBack(callback: string): Promise<string> {
    const response = await this.get(callback);
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return response.headers.get('location') ?? '';
  }

  async session() {
    const response = await this.get(`${place}/console/session`, { headers: page });
    return response.status === 200 ? consoleSession.parse(await response.json()) : response.status;
  }
}

const fault = (name: string) => `/console#sign_in_fault=${name}`;

describe('Signing in at the issuer', () => {
  test('gives the session that keys have, of the user and tenant that the ID token names', async () => {
    issuer.user = { sub: 'alice', org_id: 'acme', permissions: ['tools:read', 'tenant:admin', 'admin', 'other'] };
    const browser = new Browser();
    expect(await browser.signIn('?to=/calls%3Fstate%3Dfailed')).toBe('/console/calls?state=failed');
    expect(await browser.session()).toMatchObject({
      tenant_id: 'acme',
      user_id: 'alice',
      tier: 'free',
      // Bounded as those of tokens: no issuer makes an operator by itself.
      scopes: ['tools:read', 'tenant:admin'],
      credential_id: 'jwt:acme/alice',
      session: { started_at: expect.any(String) },
    });
    const asked = issuer.authorizations.at(-1);
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.toString()).not.toContain(issuer.clientSecret);
  });

  test('makes calls as the tenant of the claim, and sees nothing of another', async () => {
    const [mine, others] = [new Browser(), new Browser()];
    await mine.signIn();
    issuer.user = { sub: 'alice', tenant_id: 'other' };
    await others.signIn();
    const answer = await mine.get(`${place}/tools/calc_metrics`, {
      method: 'POST',
      headers: { ...page, prefer: 'respond-async', 'content-type': 'application/json' },
      body: JSON.stringify({ height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' }),
    });
    expect(answer.status).toBe(202);
    const job = `${place}${answer.headers.get('location')}`;
    expect((await mine.get(job, { headers: page })).status).toBe(200);
    expect((await others.get(job, { headers: page })).status).toBe(404);
    expect(await others.session()).toMatchObject({ tenant_id: 'other' });
  });

  test('tells the page which issuer there is, and no secret of it', async () => {
    const text = await (await new Browser().get(`${place}/console/oidc`)).text();
    expect(consoleIssuerShown.parse(JSON.parse(text))).toEqual({
      issuer: { host: new URL(issuer.url).host, user_claim: 'sub', tenant_claims: ['tenant_id', 'org_id', 'organization', 'tid'] },
    });
    expect(text).not.toContain(issuer.clientSecret);
  });

  test('ends here and at the issuer, which sends the browser back to the console', async () => {
    const browser = new Browser();
    await browser.signIn();
    const answer = await browser.get(`${place}/console/session`, { method: 'DELETE', headers: page });
    expect(answer.status).toBe(200);
    const end = new URL(consoleSignedOut.parse(await answer.json()).location);
    expect(end.origin).toBe(issuer.url);
    expect(end.searchParams.get('post_logout_redirect_uri')).toBe(`${place}/console`);
    expect(await browser.session()).toBe(401);
    expect((await browser.get(end.href)).status).toBe(200);
    // The ID token rests sealed.
    const other = new Browser();
    await other.signIn();
    const { redis, keys } = gateway.stores;
    const [name = ''] = await redis.keys(keys.consoleSession('*'));
    expect(await redis.get(name)).not.toContain('eyJ');
  });
});

describe('It ends with the page that says why', () => {
  test('where the user says no', async () => {
    issuer.consents = false;
    expect(await new Browser().signIn()).toBe(fault('denied'));
  });

  test('where nobody has begun it in this browser, or it was used', async () => {
    const browser = new Browser();
    const callback = await browser.signInAtIssuer();
    expect(await new Browser().comeBack(callback)).toBe(fault('expired'));
    expect(await browser.comeBack(callback)).toBe('/console');
    // Once more: neither the attempt nor the code is good any more.
    expect(await browser.comeBack(callback)).toBe(fault('expired'));
  });

  test('where a code was used by somebody else before', async () => {
    const [thief, victim] = [new Browser(), new Browser()];
    const [stolen, own] = [new URL(await victim.signInAtIssuer()), new URL(await thief.signInAtIssuer())];
    // The code of another sign-in belongs to another verifier.
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(await thief.comeBack(own.href)).toBe(fault('expired'));
    expect(await thief.session()).toBe(401);
  });

  test.each([
    ['state', 'changed', 'issuer'],
    ['iss', 'https://other.example', 'issuer'],
    ['code', 'invented', 'expired'],
  ])('where %s is %s', async (name, value, why) => {
    const browser = new Browser();
    const callback = new URL(await browser.signInAtIssuer());
    expect(callback.searchParams.has(name)).toBe(true);
    callback.searchParams.set(name, value);
    expect(await browser.comeBack(callback.href)).toBe(fault(why));
    expect(await browser.session()).toBe(401);
  });

  test.each(['state', 'iss'])('where %s is missing, or there twice', async (name) => {
    for (const change of [(query: URLSearchParams) => query.delete(name), (query: URLSearchParams) => query.append(name, 'x')]) {
      const browser = new Browser();
      const callback = new URL(await browser.signInAtIssuer());
      change(callback.searchParams);
      expect(await browser.comeBack(callback.href)).toBe(fault('issuer'));
    }
  });

  const now = () => Math.floor(Date.now() / 1_000);
  test.each([
    ['is for another client', () => ({ aud: 'another' }), 'issuer'],
    ['is for several, and made for another', () => ({ aud: ['invoq-console', 'another'], azp: 'another' }), 'issuer'],
    ['is of another issuer', () => ({ iss: 'https://other.example' }), 'issuer'],
    ['has another nonce', () => ({ nonce: 'other' }), 'issuer'],
    ['has no nonce', () => ({ nonce: undefined }), 'issuer'],
    ['has ended', () => ({ exp: now() - 60 }), 'clock'],
    ['is of the future', () => ({ iat: now() + 120, exp: now() + 900 }), 'clock'],
    ['is not good yet', () => ({ nbf: now() + 120 }), 'clock'],
    ['names no tenant', () => ({ tenant_id: undefined }), 'no_tenant'],
    ['names every tenant', () => ({ tenant_id: '*' }), 'no_tenant'],
    ['names a key as its user', () => ({ sub: 'key:1' }), 'no_user'],
  ])('where the ID token %s', async (_is, change, why) => {
    issuer.alter = (claims) => ({ ...claims, ...change() });
    const browser = new Browser();
    expect(await browser.signIn()).toBe(fault(why));
    expect(await browser.session()).toBe(401);
  });

  test('where the ID token has another signature', async () => {
    const browser = new Browser();
    const callback = await browser.signInAtIssuer();
    await using other = await SignInIssuer.start({ places: [place] });
    issuer.forge = other;
    try {
      expect(await browser.comeBack(callback)).toBe(fault('issuer'));
    } finally {
      issuer.forge = null;
    }
  });
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/../keys', '/%5c%5cevil.example/..%2f'])(
  'a sign-in that should go on at %s stays in the console',
  async (to) => {
    const location = await new Browser().signIn(`?to=${encodeURIComponent(to)}`);
    expect(new URL(location, place).origin).toBe(place);
    expect(location).toMatch(/^\/console(\/%5c|$)/);
  },
);

describe('Without an issuer that answers', () => {
  test('a sign-in says so, and a sign-out still ends the session', async () => {
    const gone = await SignInIssuer.start({ places: [place] });
    const { settings } = gone;
    await gone[Symbol.asyncDispose]();
    await using lost = await startTestGateway({ handler: null, settings });
    const answer = await fetch(`${lost.url}/console/oidc/begin`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(fault('unreachable'));
  });

  test('a gateway without the setting has none', async () => {
    await using plain = await startTestGateway({ handler: null });
    expect(await (await fetch(`${plain.url}/console/oidc`)).json()).toEqual({ issuer: null });
    const answer = await fetch(`${plain.url}/console/oidc/begin`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(fault('off'));
  });
});
