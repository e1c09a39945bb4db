// The product that is tried: a system of its own, with the workers that the rows need.
import { mkdtempDisposableSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem, type HttpCaller, type System } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { filesCommand } from './clients/cases.js';
import { ModelStub } from './clients/model-stub.js';
import type { Command, Group, Row } from './row.js';

export interface Place extends AsyncDisposable {
  readonly system: System;
  /** Belongs to no user and may do everything. */
  readonly admin: HttpCaller;
  readonly user: HttpCaller;
  /** The key of `user`. */
  readonly key: string;
  /** What clients use as their model. */
  readonly model: ModelStub;
  readonly databaseUrl: string;
  /** Holds `note.txt` and `long.txt`. */
  readonly folder: string;
}

const appOf = (domain: string): string => `dist/apps/${domain}-worker/src/main.js`;
/** Workers besides the one that asks outside servers. */
const workersOf: Readonly<Record<Group, readonly string[]>> = {
  servers: [],
  clients: ['profile'],
  lists: [],
  documents: ['knowledge', 'memotree'],
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
  const commands = [...(groups.has('clients') ? [filesCommand] : []), ...rows.map((row) => row.commands ?? {})].flatMap(
    Object.entries<Command>,
  );
  const model = started.use(await ModelStub.start());
  const stores = started.use(await startStores());
  const system = started.use(
    await startSystem({
      stores,
      mains: { gateway: 'dist/apps/gateway/src/main.js', worker: appOf('perception') },
      more: [...new Set([...groups].flatMap((group) => workersOf[group]))].map((domain) => ({ main: appOf(domain) })),
      workerEnv: {
        UPSTREAM_COMMANDS: JSON.stringify(Object.fromEntries(commands.map(([name, command]) => [name, command(folder)]))),
        UPSTREAM_RECHECK_MS: '300',
        // Nobody answers there: the failure that a model must be told of.
        WEATHER_API_BASE: 'http://127.0.0.1:9',
      },
    }),
  );
  const key = await system.tenant.key();
  const [admin, user] = [await system.admin(), (await system.caller()).with({ authorization: `Bearer ${key}` })];
  const owned = started.move();
  return { system, admin, user, key, model, folder, databaseUrl: stores.databaseUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
