// The product behind PgBouncer in transaction mode: each transaction may run on another connection to Postgres.
import { chmodSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores, startTimeoutMs, type System } from '#lib/testing';
import { ManagedProcess } from '../../../scripts/managed-process.js';
import { toolOf } from '../../../scripts/ops/check-files.js';
import { pickPort } from '../../../scripts/provision/ports.js';
import { answersQuery } from '../../../scripts/provision/postgres.js';
import { MemotreeSession, startMemotree } from '../memotree-system.js';

/** PgBouncer before the Postgres of the tests; its address, as the settings name it. */
async function startPooler(owner: AsyncDisposableStack, databaseUrl: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = owner.adopt(mkdtempDisposableSync(join(tmpdir(), 'invoq-pooler-')), (one) => one.remove()).path;
  const [own, file] = [await pickPort(), join(folder, 'pgbouncer.ini')];
  const to = `host=${hostname} port=${port} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  const settings = ['listen_addr = 127.0.0.1', `listen_port = ${own}`, 'unix_socket_dir =', 'auth_type = any', 'pool_mode = transaction'];
  writeFileSync(file, ['[databases]', `* = ${to}`, '[pgbouncer]', ...settings, 'default_pool_size = 4', ''].join('\n'));
  chmodSync(folder, 0o755);
  const url = `postgresql://${username}:${password}@127.0.0.1:${own}${pathname}`;
  const pooler = new ManagedProcess({
    name: 'pgbouncer',
    command: toolOf('pgbouncer', 'pgbouncer'),
    // It refuses to run as root.
    args: [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file],
    cwd: folder,
    port: own,
    logFile: join(folder, 'pgbouncer.log'),
    isNode: false,
    stopMs: 5_000,
    isReady: () => answersQuery(url),
  });
  await pooler.start();
  owner.defer(async () => pooler.stop());
  return `${url}?pgbouncer=true`;
}

describe('behind a pooler that lends connections for a transaction', () => {
  const started = new AsyncDisposableStack();
  let system: System;

  beforeAll(async () => {
    const { redisUrl, databaseUrl } = givenStores();
    const pooled = await startPooler(started, databaseUrl);
    system = started.use(await startMemotree({ stores: { redisUrl, databaseUrl: pooled } }));
  }, startTimeoutMs);
  afterAll(async () => started.disposeAsync(), startTimeoutMs);

  test('a memory is written, searched, committed and read by several sessions at once', async () => {
    const caller = await system.caller();
    const sessions = Array.from({ length: 6 }, (_, index) => new MemotreeSession(caller, `pooled-${index}`, `pooled-${index}`));
    await Promise.all(
      sessions.map(async (session, index) => {
        const nodeId = await session.create({ title: `Kiwi ${index}`, content: 'A fruit.' });
        expect(await session.find({ query: 'kiwi' })).toEqual([nodeId]);
        await session.do('commit_changes', { message: 'Kept' });
        expect(await session.do('expand_node', { nodeId })).toBeDefined();
      }),
    );
  });
});
