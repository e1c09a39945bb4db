// The system that is attacked, those who attack it, and what they are after.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hasScope, scopeNames, type Scope } from '#lib/contracts';
import { Issuer, Tenant, type KeyOptions, type System } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { startCollector, type Collector } from '../../test/e2e/collector.js';
import { providerKey, startProductionSystem, type ProductionSystem } from '../../test/e2e/production-system.js';
import type { Random } from '../../chaos/random.js';
import { AccountServer } from './account-server.js';
import { Client } from './client.js';
import { HostileServers } from './hostile-server.js';
import { layOut, type Objects } from './objects.js';

export interface World extends AsyncDisposable, Pick<ProductionSystem, 'model' | 'sandbox' | 'sql'> {
  readonly system: System;
  readonly hostile: HostileServers;
  /** An outside server that acts with accounts of its callers. */
  readonly accountServer: AccountServer;
  /** What the workers of Stripe and profiles send their spans to, with parameters and results. */
  readonly collector: Collector;
  /** Whose tokens the gateways take. */
  readonly issuer: Issuer;
  readonly random: Random;
  /** Without a credential. */
  readonly nobody: Client;
  /** Whose things the others are after. */
  readonly victim: Client;
  /** Another user of the victim's tenant. */
  readonly neighbour: Client;
  /** A user of another tenant, with the same user id as the victim. */
  readonly stranger: Client;
  /** A key of the victim's tenant that may only read. */
  readonly reader: Client;
  /** A key of the victim's tenant whose one scope opens no route. */
  readonly powerless: Client;
  /** A key of the stranger's tenant that may speak for its users. */
  readonly agent: Client;
  readonly admin: Client;
  /** The administrator of the victim's tenant, and that of the stranger's. */
  readonly tenantAdmin: Client;
  readonly strangerAdmin: Client;
  readonly strangerTenant: Tenant;
  readonly objects: Objects;
  /** Texts that belong to the victim alone. */
  readonly canary: string;
  /** Secrets of the operator, which nothing may ever show. */
  readonly secrets: readonly string[];
  /** The second gateway, where failed authentications and guests are limited as by default. */
  readonly strictUrl: string;
  /** A third one, which gives a credential few points: few enough for a machine that is slow. */
  readonly meagreUrl: string;
  /** A key of the victim's tenant with every scope but this one and those that hold it. */
  readonly clientWithout: (scope: Scope) => Promise<Client>;
  /** A tenant of its own, for what all its calls would feel. */
  readonly newTenant: () => Promise<Tenant>;
  /** A client with a new key. */
  readonly newClient: (options?: KeyOptions & { readonly tenant?: Tenant }) => Promise<Client>;
}

export interface WorldOptions {
  readonly random: Random;
  /** A folder that holds another build. */
  readonly root?: string;
}

/** So low that a busy machine reaches it too. */
const limits = { RATE_LIMIT_FREE: '10' };
/** What a customer's own administrator has. */
const administers = ['tenant:admin', 'tools:read', 'tools:write', 'tools:serve'];
/** Settings that only the first gateway has: thousands of attacks come from one address, and the trace of each call can be asked for. */
const patient = {
  TRACES_PER_SECOND: '1000000',
  AUTH_FAILURES_PER_MINUTE: '1000000',
  GUEST_CHATS_PER_DAY: '1000000',
  REQUESTS_PER_CREDENTIAL: '1000000',
  REQUESTS_PER_ADDRESS: '1000000',
};

/** What the third gateway gives a credential. */
export const meagrePoints = { perSecond: 4, burst: 20 } as const;
const meagre = { REQUESTS_PER_CREDENTIAL: String(meagrePoints.perSecond), REQUESTS_PER_ADDRESS: '1000000', GUEST_CHATS_PER_DAY: '1000000' };

export async function startWorld({ random, root = process.cwd() }: WorldOptions): Promise<World> {
  await using started = new AsyncDisposableStack();
  const stores = started.use(await startStores());
  const hostile = started.use(new HostileServers());
  const accountServer = started.use(await AccountServer.start());
  const issuer = started.use(await Issuer.start());
  const tokens = { JWT_ISSUER: issuer.url, JWT_JWKS_URL: `${issuer.url}/jwks.json` };
  const collector = started.adopt(await startCollector(), ({ close }) => close());
  const exporting = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_CONTENT: 'on' };
  const sealingKey = randomBytes(32).toString('base64');
  const resolver = join(process.cwd(), 'dist/security/world/rebinding-resolver.js');
  const { system, sandbox, model, sql, ...production } = await startProductionSystem({
    stores,
    root,
    gateways: 3,
    env: { SEALING_KEYS: `k1:${sealingKey}`, LOG_LEVEL: 'trace' },
    gatewayEnv: (index) => ({ CODE_MODE: 'on', ...tokens, ...limits, ...(index === 0 && patient), ...(index === 2 && meagre) }),
    workerEnv: exporting,
    domainEnv: {
      profile: exporting,
      perception: {
        UPSTREAM_COMMANDS: hostile.commands,
        UPSTREAM_RECHECK_MS: '200',
        NODE_EXTRA_CA_CERTS: accountServer.certificate,
      },
    },
    nodeOptions: (name) => (/^(perception-worker|gateway)/.test(name) ? ['--import', resolver] : []),
  });
  started.use(production);
  const strangerTenant = started.use(await Tenant.create(stores.databaseUrl));
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const secrets = [sealingKey, providerKey, 'rk_test_e2e'];
  const { tenant, gateway } = system;

  const clientOf = (key: string | null, mayKnow: boolean): Client =>
    new Client({
      url: gateway.url,
      ...(key !== null && { headers: { authorization: `Bearer ${key}` } }),
      mustNotLearn: [...secrets, ...(mayKnow ? [] : [canary])],
    });
  const [victim, neighbour, stranger, reader, powerless, agent, admin, tenantAdmin, strangerAdmin] = await Promise.all([
    tenant.key(),
    tenant.key({ userId: 'user_other' }),
    strangerTenant.key(),
    tenant.key({ userId: 'user_other', scopes: ['tools:read'] }),
    tenant.key({ userId: 'user_other', scopes: ['merchant:any'] }),
    strangerTenant.key({ userId: null, scopes: ['act-as', 'tools:read', 'tools:write'] }),
    tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }),
    tenant.key({ userId: 'user_other', scopes: administers }),
    strangerTenant.key({ scopes: administers }),
  ]);
  const people = {
    nobody: clientOf(null, false),
    victim: clientOf(victim, true),
    neighbour: clientOf(neighbour, false),
    stranger: clientOf(stranger, false),
    reader: clientOf(reader, false),
    powerless: clientOf(powerless, false),
    agent: clientOf(agent, false),
    admin: clientOf(admin, true),
    tenantAdmin: clientOf(tenantAdmin, false),
    strangerAdmin: clientOf(strangerAdmin, false),
  };
  const objects = await layOut({ ...people, system, model, sql, canary, serverCommand: hostile.take().command });
  const without = new Map<Scope, Promise<Client>>();
  const clientWithout = (scope: Scope): Promise<Client> => {
    const others = scopeNames.filter((one) => !hasScope({ scopes: [one] }, scope));
    const made =
      without.get(scope) ?? tenant.key({ userId: 'user_other', tier: 'vip', scopes: others }).then((key) => clientOf(key, false));
    without.set(scope, made);
    return made;
  };
  const owned = started.move();
  return {
    ...people,
    clientWithout,
    system,
    sandbox,
    model,
    sql,
    hostile,
    accountServer,
    collector,
    issuer,
    random,
    strangerTenant,
    objects,
    canary,
    secrets,
    strictUrl: system.gateways[1]?.url ?? '',
    meagreUrl: system.gateways[2]?.url ?? '',
    newTenant: async () => owned.use(await Tenant.create(stores.databaseUrl)),
    newClient: async ({ tenant: of = tenant, ...key } = {}) => clientOf(await of.key(key), false),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
