// Local servers in place of the external services for which a run has no address. The start of each is printed.
import { join } from 'node:path';
import type { DataDir } from '../provision/data-dir.js';
import { pickPort } from '../provision/ports.js';
import { print, root, step } from '#lib/command-line';
import type { Supervisor } from '../supervise.js';

interface StandIn {
  /** The name of the process and its log. */
  readonly name: string;
  /** The domain that calls the service. */
  readonly domain: string;
  /** The setting that names the real service; when the environment has it, no stand-in runs. */
  readonly variable: string;
  /** Other settings that name the real service. */
  readonly orVariables?: readonly string[];
  /** More settings that the apps need to use the stand-in. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The built entry. It gets its port as its argument and answers `GET /healthz`. */
  readonly main: string;
  readonly firstPort: number;
  /** Printed: what it does, and how to use the real service. */
  readonly about: string;
}

const standIns: readonly StandIn[] = [
  {
    name: 'weather-stand-in',
    domain: 'perception',
    variable: 'WEATHER_API_BASE',
    main: 'dist/scripts/stand-ins/weather/main.js',
    firstPort: 3201,
    about: 'invented weather; WEATHER_API_BASE=https://api.open-meteo.com asks for the real',
  },
  {
    name: 'stripe-sandbox',
    domain: 'stripe',
    variable: 'STRIPE_API_BASE',
    orVariables: ['STRIPE_SECRET_KEY', 'STRIPE_SECRET_KEY_FILE'],
    main: 'dist/apps/stripe-sandbox/src/main.js',
    firstPort: 12_111,
    settings: { STRIPE_SECRET_KEY: 'rk_test_sandbox' },
    about: 'a local Stripe whose links lead nowhere; a restricted key in STRIPE_SECRET_KEY asks the real one',
  },
];

export const standInNames: readonly string[] = standIns.map(({ name }) => name);

/** Starts those that are needed. @param runs whether the worker of a domain is started @returns the settings that lead to them */
export async function startStandIns(
  supervisor: Supervisor,
  dataDir: DataDir,
  runs: (domain: string) => boolean,
): Promise<Readonly<Record<string, string>>> {
  const needed = standIns.filter(
    ({ domain, variable, orVariables = [] }) => runs(domain) && ![variable, ...orVariables].some((name) => process.env[name]),
  );
  const started = needed.map(async ({ name, variable, main, firstPort, about, settings }) => {
    const port = await pickPort(firstPort);
    const url = `http://127.0.0.1:${port}`;
    await step(`${name} on ${url}`, () =>
      supervisor.start({
        name,
        command: process.execPath,
        args: ['--import', '#source-maps', join(root, main), String(port)],
        cwd: root,
        port,
        logFile: dataDir.logFile(name),
        isNode: true,
        stopMs: 5_000,
        isReady: () => isHealthy(`${url}/healthz`),
      }),
    );
    print(`  ${variable} is not set: ${about}`);
    return { [variable]: url, ...settings };
  });
  return Object.assign({}, ...(await Promise.all(started)));
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
