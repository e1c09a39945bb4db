// F15 to F17: Postgres restarts, hangs, is locked or takes no writes. Calls that need no database go on.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { HttpCaller } from '#lib/testing';
import type { PrivateStore } from '../../scripts/provision/private-stores.js';
import type { CallKind } from '../history/history.js';
import type { Fault, Injected, Scene } from './fault.js';
import { outage } from './in-flight.js';

const mayFail: readonly CallKind[] = ['lookup'];

export const postgresFaults: readonly Fault[] = [
  { id: 'F15.fast', title: 'Postgres restarted', inject: (scene) => outage(scene, 3_000, () => scene.lab.postgres.restart()), mayFail },
  { id: 'F15.immediate', title: 'Postgres kill -9, back on the same files', inject: kill, mayFail },
  { id: 'F16.hang', title: 'Postgres SIGSTOP 10 s', inject: hang, mayFail },
  { id: 'F16.lock', title: 'a table of Postgres locked for 10 s', inject: lock, mayFail },
  { id: 'F17', title: 'Postgres read-only for 5 s', inject: readOnly },
];

async function kill(scene: Scene): Promise<Injected> {
  const { postgres } = scene.lab;
  return outage(scene, 3_000, async () => {
    await postgres.kill('SIGKILL');
    await sleep(1_000);
    await postgres.restart();
  });
}

async function hang(scene: Scene): Promise<Injected> {
  const { postgres } = scene.lab;
  return outage(scene, 10_000, async () => {
    await postgres.kill('SIGSTOP');
    await sleep(10_000);
    await postgres.kill('SIGCONT');
  });
}

async function lock(scene: Scene): Promise<Injected> {
  return outage(scene, 10_000, () =>
    withPostgres(scene.lab.postgres, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE profile IN ACCESS EXCLUSIVE MODE');
      await sleep(10_000);
      await client.query('ROLLBACK');
    }),
  );
}

async function readOnly(scene: Scene): Promise<Injected> {
  const { lab } = scene;
  const admin = new HttpCaller(lab.system.gateway.url, await lab.system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }));
  const newKey = () => admin.post('/keys', { tenant_id: lab.system.tenant.id, tier: 'free', scopes: ['tools:read'] });
  const findings: string[] = [];
  const expectStatus = (what: string, { status }: { readonly status: number }, wanted: number): void => {
    if (status !== wanted) findings.push(`${what} was answered ${status} and not ${wanted}`);
  };
  const injected = await outage(scene, 5_000, () =>
    withPostgres(lab.postgres, async (client) => {
      await client.query('SET default_transaction_read_only = on');
      await sleep(2_500);
      // Again: connections to the embedded Postgres have one session, whose settings go with each that ends.
      await client.query('SET default_transaction_read_only = on');
      expectStatus('a new key while nothing can be written', await newKey(), 503);
      await sleep(2_500);
      await client.query('SET default_transaction_read_only = off');
    }),
  );
  expectStatus('a new key afterwards', await newKey(), 201);
  return { ...injected, findings };
}

/** A connection of the harness to Postgres itself, past the proxy. */
async function withPostgres(postgres: PrivateStore, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
