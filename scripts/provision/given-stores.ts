// Checks the stores that the environment names. What is wrong is told in one line.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CommandError } from '#lib/command-line';

const timeoutMs = 4_000;

const postgres: StoreKind = { protocols: ['postgres:', 'postgresql:'], example: 'postgresql://user:password@host:5432/database' };
const redis: StoreKind = { protocols: ['redis:', 'rediss:'], example: 'redis://host:6379 (rediss:// for TLS)' };

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

export async function checkRedis(variable: string, text: string): Promise<void> {
  const address = displayAddress(variable, text, redis);
  const client = new Redis(text, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  try {
    const info = await withTimeout(client.connect().then(() => client.info('memory')));
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction') {
      throw new CommandError(
        `${variable}: the Redis at ${address} may throw queued jobs away (its maxmemory-policy is ${policy}). Set it to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction, and the same in its configuration file.`,
      );
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreachable(variable, address, lastError ?? error);
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
