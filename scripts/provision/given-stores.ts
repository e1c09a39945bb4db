// Checks the stores that the environment names. What is wrong is told in one line.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CommandError } from '#lib/command-line';
import { domains } from '#lib/contracts';
import { readSettings, redisServers, redisSettings, settingFaults, type RedisSettings } from '#lib/platform';
import { checkRedis as checkServers, logRedisFaults, partitionOf, RedisKeys, requestConnection } from '#lib/transport';

const timeoutMs = 4_000;

const postgres: StoreKind = { protocols: ['postgres:', 'postgresql:'], example: 'postgresql://user:password@host:5432/database' };

interface StoreKind {
  readonly protocols: readonly string[];
  readonly example: string;
}

export async function checkPostgres(variable: string, text: string): Promise<void> {
  const address = displayAddress(variable, text, postgres);
  const client = new Client({ connectionString: text });
  client.on('error', () => undefined);
  try {
    await withTimeout(client.connect().then(() => client.query('SELECT 1')));
  } catch (error) {
    throw unreachable(variable, address, error);
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** The Redis that the environment names, or null. Throws CommandError for settings that are not right. */
export function givenRedis(): RedisSettings | null {
  const faults = settingFaults(redisSettings).filter(({ name, message }) => !(name === 'REDIS_URL' && message === 'is missing'));
  if (faults.length > 0) throw new CommandError(faults.map(({ name, message }) => `${name} ${message}`).join('\n'));
  if (process.env['REDIS_URL']) return readSettings(redisSettings);
  if (process.env['REDIS_MODE']) throw new CommandError('REDIS_URL is missing: REDIS_MODE says how the servers that it names are reached');
  return null;
}

/** @param variable that has the URL */
export async function checkRedis(variable: string, settings: RedisSettings): Promise<void> {
  const address = redisServers(settings)
    .seeds.map(({ host, port }) => `${host}:${port}`)
    .join(', ');
  const client = requestConnection(settings);
  let lastError: unknown;
  logRedisFaults([client], { warn: ({ err }: { readonly err: unknown }) => (lastError = err) });
  try {
    const keys = new RedisKeys('invoq');
    const partitions = Object.keys(domains).map((name) => partitionOf(name));
    await withTimeout(once(client, 'ready').then(() => checkServers(client, { keys, partitions, needed: [keys.partitionCounts()] })));
  } catch (error) {
    throw unreachable(variable, address, lastError ?? error);
  } finally {
    client.disconnect();
  }
}

/** The address without its password and its parameters, which may hold one too. Throws CommandError for another kind of address. */
function displayAddress(variable: string, text: string, { protocols, example }: StoreKind): string {
  const url = URL.parse(text);
  if (!url?.hostname || !protocols.includes(url.protocol)) throw new CommandError(`${variable} must look like ${example}.`);
  url.password = '';
  url.search = '';
  return url.href;
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const timeout = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw new Error(`no answer in ${timeoutMs / 1_000} s`);
  });
  return Promise.race([work, timeout]);
}

function unreachable(variable: string, address: string, error: unknown): CommandError {
  const nested = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
  return new CommandError(`${variable}: ${address} cannot be used: ${nested}. Start that server or correct ${variable}.`);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return message.includes('NOAUTH') ? 'it wants a password (redis://:password@host:6379)' : message.replace(/\.+$/, '');
}
