import { mkdtempDisposableSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { ModelStub } from './clients/model-stub.js';
import type { Place } from './place.js';
import type { Command, Group, Row } from './row.js';

const appOf = (domain: string): string => `dist/apps/${domain}-worker/src/main.js`;
/** Workers besides the one that asks outside servers. */
const workersOf: Readonly<Record<Group, readonly string[]>> = {
  servers: [],
  clients: ['profile'],
  lists: [],
  documents: ['knowledge', 'memotree'],
  openapi: [],
  reports: [],
};

export async function startPlace(rows: readonly Row[]): Promise<Place> {
  await using started = new AsyncDisposableStack();
  const temporary = mkdtempDisposableSync(join(tmpdir(), 'invoq-world-'));
  started.defer(() => temporary.remove());
  const folder = realpathSync(temporary.path);
  writeFileSync(join(folder, 'note.txt'), 'written for the world');
  writeFileSync(join(folder, 'long.txt'), 'Salt raises the blood pressure. '.repeat(20_000));
  const groups = new Set(rows.map(({ group }) => group));
  const commands = rows.flatMap((row) => Object.entries<Command>(row.commands ?? {}));
  const model = started.use(await ModelStub.start());
  const stores = started.use(await startStores());
  const system = started.use(
    await startSystem({
      stores,
      mains: { gateway: 'dist/apps/gateway/src/main.js', worker: appOf('perception') },
      more: [...new Set([...groups].flatMap((group) => workersOf[group]))].map((domain) => ({ main: appOf(domain) })),
      workerEnv: {
        UPSTREAM_COMMANDS: JSON.stringify(Object.fromEntries(commands.map(([name, command]) => [name, command(folder)]))),
        // A list of a thousand tools is compared with the approved one then.
        UPSTREAM_RECHECK_MS: '5000',
        // Nobody answers there: the failure that a model must be told of.
        WEATHER_API_BASE: 'http://127.0.0.1:9',
      },
    }),
  );
  const key = await system.tenant.key();
  const [admin, user] = [await system.admin(), (await system.caller()).with({ authorization: `Bearer ${key}` })];
  const owned = started.move();
  return {
    system,
    admin,
    user,
    key,
    model,
    folder,
    databaseUrl: stores.databaseUrl,
    redisUrl: stores.redisUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
