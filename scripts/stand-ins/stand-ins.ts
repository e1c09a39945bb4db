// Local servers that speak the protocol of a service which a run has no address for. Each one's start is said aloud.
import { join } from 'node:path';
import type { DataDir } from '../provision/data-dir.js';
import { pickPort } from '../provision/ports.js';
import { root } from '../root.js';
import { say, step } from '../say.js';
import type { Supervisor } from '../supervise.js';

interface StandIn {
  /** Of the process and its log. */
  readonly name: string;
  /** The setting that names the real service; when the environment has it, no stand-in runs. */
  readonly variable: string;
  /** Built entry; gets its port as the argument and answers `GET /healthz`. */
  readonly main: string;
  readonly firstPort: number;
  /** What it stands in for, and what leads to the real one. */
  readonly about: string;
}

const standIns: readonly StandIn[] = [
  {
    name: 'weather-stand-in',
    variable: 'WEATHER_API_BASE',
    main: 'dist/scripts/stand-ins/weather/main.js',
    firstPort: 3201,
    about: 'invented weather; WEATHER_API_BASE=https://api.open-meteo.com asks for the real',
  },
];

export const standInNames: readonly string[] = standIns.map(({ name }) => name);

/** Starts those that are needed. @returns the settings that lead to them */
export async function startStandIns(supervisor: Supervisor, dataDir: DataDir): Promise<Readonly<Record<string, string>>> {
  const needed = standIns.filter(({ variable }) => !process.env[variable]);
  const started = needed.map(async ({ name, variable, main, firstPort, about }) => {
    const port = await pickPort(firstPort);
    const url = `http://127.0.0.1:${port}`;
    await step(`${name} on ${url}`, () =>
      supervisor.start({
        name,
        command: process.execPath,
        args: ['--enable-source-maps', join(root, main), String(port)],
        cwd: root,
        port,
        logFile: dataDir.logFile(name),
        isNode: true,
        stopMs: 5_000,
        isReady: () => answers(`${url}/healthz`),
      }),
    );
    say(`  ${variable} is not set: ${about}`);
    return [variable, url] as const;
  });
  return Object.fromEntries(await Promise.all(started));
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
