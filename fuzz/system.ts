// The whole product in the shape of production, every upstream of it hostile.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { userScopes } from '#lib/contracts';
import { Issuer, ModelServer, startSystem, Tenant, type System } from '#lib/testing';
import { StripeSandbox } from '../apps/stripe-sandbox/src/sandbox.js';
import { accountOf } from '../apps/stripe-sandbox/src/accounts.js';
import { startStores, type PrivateStores } from '../scripts/provision/private-stores.js';
import { importStarterKnowledge } from '../scripts/provision/starter-knowledge.js';
import { WeatherServer } from '../scripts/stand-ins/weather/weather-server.js';
import { OutsideServer } from '../test/e2e/outside-server.js';
import { addMerchants, fuzzedMerchants } from './merchants.js';
import { answeringModel } from './upstream/answering-model.js';
import { HostileServer } from './upstream/hostile-server.js';
import { startUserWorker } from './user-worker.js';

export interface FuzzSystem extends AsyncDisposable {
  readonly system: System;
  readonly stores: PrivateStores;
  readonly upstreams: Readonly<Record<string, HostileServer>>;
  /** What the names in cases stand for: keys, tokens, addresses. */
  readonly names: ReadonlyMap<string, string>;
}

const workers = ['profile', 'knowledge', 'stripe', 'memotree', 'perception', 'agent'] as const;
const mainOf = (app: string) => `dist/apps/${app}/src/main.js`;
const unlimited = '1000000000';
/** The load is to reach the handlers. */
const liftedLimits = {
  RATE_LIMIT_FREE: unlimited,
  RATE_LIMIT_PRO: unlimited,
  RATE_LIMIT_VIP: unlimited,
  TOOL_QUOTA_FREE: unlimited,
  TOOL_QUOTA_PRO: unlimited,
  TOOL_QUOTA_VIP: unlimited,
  AUTH_FAILURES_PER_MINUTE: unlimited,
  REQUESTS_PER_CREDENTIAL: unlimited,
  REQUESTS_PER_ADDRESS: unlimited,
  GUEST_CHATS_PER_DAY: unlimited,
};
/** Of one tenant: what holds for all is for operators. */
const rulerScopes = [...userScopes, 'tenant:admin', 'approvals', 'schedules', 'webhooks', 'act-as'];
const audience = 'invoq';
const issuerName = 'https://issuer.example';

/** Gateways: the first without limits, the second with those of production. */
export async function startFuzzSystem(seed: number): Promise<FuzzSystem> {
  await using started = new AsyncDisposableStack();
  const stores = started.use(await startStores());
  await importStarterKnowledge(stores.databaseUrl);
  const issuer = started.use(await Issuer.start());
  const good = {
    stripe: started.use(await StripeSandbox.start()),
    weather: started.use(await WeatherServer.start()),
    model: started.use(await ModelServer.start()),
    mcp: started.use(await OutsideServer.start('mcp')),
    rest: started.use(await OutsideServer.start('rest')),
    issuer,
  };
  answeringModel(good.model, seed);
  for (const { stripe_account_id: id } of fuzzedMerchants) good.stripe.accounts.set(id, accountOf({ id }));
  good.mcp.tools = good.rest.tools = [outsideTool];
  const upstreams = Object.fromEntries(
    await Promise.all(
      Object.entries(good).map(
        async ([name, { url }]) =>
          [name, started.use(await HostileServer.start({ name, target: url, seed, share: shares[name] ?? 0.5 }))] as const,
      ),
    ),
  );
  const urlOf = (name: string): string => upstreams[name]?.url ?? '';
  const system = started.use(
    await startSystem({
      stores,
      gateways: 2,
      mains: { gateway: mainOf('gateway'), worker: mainOf('profile-worker') },
      more: workers.slice(1).map((name) => ({ main: mainOf(`${name}-worker`) })),
      env: {
        NODE_ENV: 'production',
        DRAIN_MS: '10000',
        STRIPE_API_BASE: urlOf('stripe'),
        STRIPE_SECRET_KEY: 'rk_test_fuzz',
        WEATHER_API_BASE: urlOf('weather'),
        MODEL: 'scripted',
        MODEL_BASE_URL: urlOf('model'),
        MODEL_API_KEY: 'key-of-the-model',
        MODEL_TIMEOUT_MS: '5000',
        TOOL_TIMEOUT_MS: '10000',
        // The outside servers of the run are on this machine.
        UPSTREAM_PRIVATE: 'allow',
        JWT_ISSUER: issuerName,
        JWT_AUDIENCE: audience,
        JWT_JWKS_URL: urlOf('issuer'),
        PUBLIC_URL: 'https://tools.example.com',
      },
      gatewayEnv: (index) => (index === 0 ? liftedLimits : {}),
      nodeOptions: () => ['--import', join(process.cwd(), 'dist/fuzz/inside/preload.js')],
    }),
  );
  await addMerchants(stores.databaseUrl, system.tenant.id);
  const names = await namesOf(system, started.use(await Tenant.create(stores.databaseUrl)), issuer);
  for (const [name, kind] of [
    ['wild', 'mcp'],
    ['tame', 'rest'],
  ] as const) {
    const registered = await (await system.admin()).post('/mcp/servers', { name, kind, tenants: '*', url: urlOf(kind) });
    if (registered.status !== 201) throw new Error(`the outside server ${name} was not registered: ${registered.text}`);
  }
  const worker = started.use(await startUserWorker(system.gateway.url, names.get('admin') ?? ''));
  const owned = started.move();
  return {
    system,
    stores,
    upstreams,
    names: new Map([...names, ['worker', worker.id], ['outsideMcp', urlOf('mcp')], ['outsideRest', urlOf('rest')]]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Share of spoiled answers, by upstream. The keys of the issuer are read seldom. */
const shares: Readonly<Record<string, number>> = { issuer: 0.3 };

const outsideTool = {
  name: 'echo',
  description: 'Gives the word back.',
  inputSchema: { type: 'object' as const, properties: { word: { type: 'string', description: 'A word.' } }, required: ['word'] },
};

async function namesOf({ tenant }: System, ruled: Tenant, issuer: Issuer): Promise<ReadonlyMap<string, string>> {
  const admin = await tenant.key({ userId: null, tier: 'vip', scopes: ['*'], approvesTools: true });
  const claims = { iss: issuerName, aud: audience, sub: 'user_001', tenant_id: tenant.id, tier: 'pro' };
  const seconds = Math.floor(Date.now() / 1_000);
  const exp = seconds + 7_200;
  return new Map([
    ['user', await tenant.key()],
    ['other', await tenant.key({ userId: 'user_other' })],
    ['reader', await tenant.key({ scopes: ['tools:read'] })],
    ['free', await tenant.key({ userId: 'free_u', tier: 'free' })],
    ['actor', await tenant.key({ userId: null, tier: 'vip', scopes: [...userScopes, 'act-as', 'profile:read:any', 'merchant:any'] })],
    ['ruler', await ruled.key({ userId: null, tier: 'vip', scopes: rulerScopes })],
    ['expired', await tenant.key({ expiresAt: new Date(0) })],
    ['revoked', `invoq_${randomUUID().replaceAll('-', '')}`],
    ['admin', admin],
    ['basicAdmin', Buffer.from(`:${admin}`).toString('base64')],
    ['jwt', await issuer.sign({ ...claims, exp })],
    ['jwtOtherKey', await issuer.sign({ ...claims, exp }, { kid: 'k2' })],
    ['jwtNoKid', await issuer.sign({ ...claims, exp }, { headers: { kid: undefined } })],
    ['jwtExpired', await issuer.sign({ ...claims, exp: seconds - 60 })],
    ['jwtOddClaims', await issuer.sign({ ...claims, exp, sub: 'a/b', tenant_id: '\0', scope: '*'.repeat(3_000) })],
  ]);
}
