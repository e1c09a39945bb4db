// What a start on this machine runs, and how. All wrong settings are told at once, before anything is started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { servedDomains } from '#lib/contracts';
import { CommandError, printError, root } from '#lib/command-line';
import { settingFaults } from '#lib/platform';
import { appNames } from './apps.js';

/** All workers in one process, which takes less memory, or each in a process of its own, as in production. */
const processLayout = z.enum(['together', 'apart'], { error: 'must be together or apart' });

export type ProcessLayout = z.output<typeof processLayout>;

export interface LocalSettings {
  /** The gateway and the workers of the domains that are served. */
  readonly apps: readonly string[];
  readonly workers: ProcessLayout;
}

const settingsCheck = z.object({
  /** What is wrong, a line for each setting. */
  faults: z.array(z.string()).readonly(),
  warnings: z.array(z.string()).readonly(),
});

/** What the process that checks the settings answers. */
export type SettingsCheck = z.output<typeof settingsCheck>;

const port = z.coerce.number({ error: 'must be a port number' }).int().min(1).max(65_535);

/** Throws CommandError with all that is wrong, a line for each setting. @param workers the layout where WORKERS names none */
export async function localSettings(workers: ProcessLayout): Promise<LocalSettings> {
  const shape = { DOMAINS: servedDomains, WORKERS: processLayout.default(workers), PORT: port.default(3_000) };
  const own = settingFaults(shape).map(({ name, message }) => `${name} ${message}`);
  const domains = servedDomains.safeParse(process.env['DOMAINS'] || undefined).data;
  const apps = appNames(domains);
  const { faults, warnings } = await check(apps);
  const wrong = new Set([...own, ...faults]);
  for (const warning of warnings) printError(`! ${warning}`);
  if (wrong.size > 0)
    throw new CommandError(`these settings are not right (${join(root, '.env.example')} explains each):\n  ${[...wrong].join('\n  ')}`);
  return { apps, workers: processLayout.parse(process.env['WORKERS'] || workers) };
}

/** Throws CommandError for a check that broke. */
async function check(apps: readonly string[]): Promise<SettingsCheck> {
  const args = ['--import', '#source-maps', join(root, 'dist/scripts/check-settings.js'), ...apps];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const [stderr, answer] = [child.stderr, child.stdio[3]].map((stream) => (stream instanceof Readable ? text(stream) : ''));
  const [code, signal] = await once(child, 'close');
  const told = await answer;
  if (told === '') throw new CommandError(`the settings could not be checked (${signal ?? `exit code ${code}`}):\n${await stderr}`);
  return settingsCheck.parse(JSON.parse(told ?? ''));
}
