// Local servers in place of the external services for which a run has no address. They are in this process, since they are small.
import { print, step } from '#lib/command-line';

interface Server extends AsyncDisposable {
  readonly url: string;
}

interface StandIn {
  readonly name: string;
  /** The domain that calls the service. */
  readonly domain: string;
  /** The setting that names the real service; when the environment has it, no stand-in runs. */
  readonly variable: string;
  /** Other settings that name the real service. */
  readonly orVariables?: readonly string[];
  /** More settings that the apps need to use the stand-in. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Starts it on a free port. */
  readonly start: () => Promise<Server>;
  /** Printed: what it does, and how to use the real service. */
  readonly about: string;
}

const standIns: readonly StandIn[] = [
  {
    name: 'weather-stand-in',
    domain: 'perception',
    variable: 'WEATHER_API_BASE',
    start: async () => (await import('./weather/weather-server.js')).WeatherServer.start(),
    about: 'invented weather; WEATHER_API_BASE=https://api.open-meteo.com asks for the real',
  },
  {
    name: 'stripe-sandbox',
    domain: 'stripe',
    variable: 'STRIPE_API_BASE',
    orVariables: ['STRIPE_SECRET_KEY', 'STRIPE_SECRET_KEY_FILE'],
    start: async () => (await import('../../apps/stripe-sandbox/src/sandbox.js')).StripeSandbox.start(),
    settings: { STRIPE_SECRET_KEY: 'rk_test_sandbox' },
    about: 'a local Stripe whose links lead nowhere; a restricted key in STRIPE_SECRET_KEY asks the real one',
  },
];

export interface StandIns {
  /** The settings that lead to them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** Starts those that are needed. @param runs whether the worker of a domain is started */
export async function startStandIns(runs: (domain: string) => boolean): Promise<StandIns> {
  const needed = standIns.filter(
    ({ domain, variable, orVariables = [] }) => runs(domain) && ![variable, ...orVariables].some((name) => process.env[name]),
  );
  const started = await Promise.all(
    needed.map(async ({ name, variable, about, settings, start }) => {
      const server = await step(name, start);
      print(`  ${variable} is not set: ${server.url} has ${about}`);
      return { server, settings: { [variable]: server.url, ...settings } };
    }),
  );
  return {
    settings: Object.assign({}, ...started.map(({ settings }) => settings)),
    stop: async () => void (await Promise.all(started.map(({ server }) => server[Symbol.asyncDispose]()))),
  };
}
