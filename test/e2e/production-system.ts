// The whole product in the shape of a deployment: compiled processes of every domain with NODE_ENV=production, several gateways. What
// stands outside is Stripe's sandbox and a scripted model.
import { ModelServer, type System, type SystemOptions } from '#lib/testing';
import type { StripeSandbox } from '../../apps/stripe-sandbox/src/sandbox.js';
import { startStripeSystem, type StripeSystem } from './stripe-system.js';

/** Workers besides that of Stripe. */
const otherDomains = ['profile', 'knowledge', 'memotree', 'perception', 'agent'] as const;
type OtherDomain = (typeof otherDomains)[number];

export interface ProductionSystem extends AsyncDisposable {
  readonly system: System;
  readonly sandbox: StripeSandbox;
  readonly model: ModelServer;
  readonly sql: StripeSystem['sql'];
}

export interface ProductionOptions extends Omit<SystemOptions, 'mains' | 'more' | 'workers'> {
  /** For the workers of these domains alone. */
  readonly domainEnv?: Partial<Record<OtherDomain, Readonly<Record<string, string>>>>;
}

/** The longest that its settings allow: nothing here measures Stripe. */
const patient = { STRIPE_TIMEOUT_MS: '4000' };

/** The key of the model's provider in this system: no answer, log or store may hold it. */
export const providerKey = 'canary-key-of-the-provider';

export async function startProductionSystem({ domainEnv = {}, env, ...options }: ProductionOptions = {}): Promise<ProductionSystem> {
  await using started = new AsyncDisposableStack();
  const model = started.use(await ModelServer.start());
  const outside: ProductionOptions['domainEnv'] = {
    agent: { MODEL: 'scripted', MODEL_BASE_URL: model.url, MODEL_API_KEY: providerKey },
    // No weather from the Internet.
    perception: { WEATHER_API_BASE: 'http://127.0.0.1:9' },
  };
  const { gatewayEnv, workerEnv } = options;
  const { system, sandbox, sql, ...stripe } = await startStripeSystem({
    gateways: 2,
    ...options,
    gatewayEnv: (index) => ({ ...patient, ...(typeof gatewayEnv === 'function' ? gatewayEnv(index) : gatewayEnv) }),
    workerEnv: { ...patient, ...workerEnv },
    env: { NODE_ENV: 'production', ...env },
    more: otherDomains.map((domain) => ({
      main: `dist/apps/${domain}-worker/src/main.js`,
      env: { ...outside[domain], ...domainEnv[domain] },
    })),
  });
  started.use(stripe);
  const owned = started.move();
  return { system, sandbox, model, sql, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
