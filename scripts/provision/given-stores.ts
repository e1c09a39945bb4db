// Stores that the environment names: reachable and usable, or one line that says what is wrong.
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CommandError } from '#lib/command-line';

const withinMs = 4_000;

const postgres: StoreKind = { protocols: ['postgres:', 'postgresql:'], example: 'postgresql://user:password@host:5432/database' };
const redis: StoreKind = { protocols: ['redis:', 'rediss:'], example: 'redis://host:6379 (rediss:// for TLS)' };

interface StoreKind {
  readonly protocols: readonly string[];
  readonly example: string;
}

export async function checkPostgres(variable: string, text: string): Promise<void> {
  const address = parse(variable, text, postgres);
  const client = new Client({ connectionString: text });
  client.on('error', () => undefined);
  try {
    await inTime(client.connect().then(() => client.query('SELECT 1')));
  } catch (error) {
    throw unreachable(variable, address, error);
  } finally {
    void client.end().catch(() => undefined);
  }
}

export async function checkRedis(variable: string, text: string): Promise<void> {
  const address = parse(variable, text, redis);
  const client = new Redis(text, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  try {
    const info = await inTime(client.connect().then(() => client.info('memory')));
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

/** The address as it may be shown: without password and without parameters, which may hold one too. */
function parse(variable: string, text: string, { protocols, example }: StoreKind): string {
  const url = URL.parse(text);
  if (!url?.hostname || !protocols.includes(url.protocol))
    throw new CommandError(`${variable} is not such an address. It should look like ${example}.`);
  url.password = '';
  url.search = '';
  return url.href;
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = sleep(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(`no answer in ${withinMs / 1_000} s`);
  });
  return Promise.race([work, late]);
}

function unreachable(variable: string, address: string, error: unknown): CommandError {
  const nested = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
  return new CommandError(`${variable}: ${address} cannot be used: ${nested}. Start that server or correct ${variable}.`);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return message.includes('NOAUTH') ? 'it wants a password (redis://:password@host:6379)' : message.replace(/\.+$/, '');
}
