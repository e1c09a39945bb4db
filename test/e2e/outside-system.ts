// Gateways and perception workers over stores of their own, two of each by default, and outside servers to register with them.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { givenStores, startSystem, type HttpCaller, type System, type SystemOptions } from '#lib/testing';
import { migrate } from '../../scripts/provision/migrate.js';
import { startPostgres } from '../../scripts/provision/private-stores.js';
import { OutsideServer } from './outside-server.js';

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/perception-worker/src/main.js' };

/** A registered server as the gateway shows it. */
export const shownServer = z.looseObject({
  name: z.string(),
  kind: z.string(),
  approval: z.number(),
  tools: z.array(z.looseObject({ name: z.string(), offered_as: z.string().nullable(), state: z.string(), reason: z.string().optional() })),
  registered: z.looseObject({ rejected: z.array(z.looseObject({ tool: z.string(), reason: z.string() })) }).optional(),
});
type ShownServer = z.output<typeof shownServer>;

/** A definition as an outside server gives it. */
export const outsideTool = (name: string, extra: object = {}) => ({
  name,
  description: `Do ${name} as it is done there.`,
  inputSchema: { type: 'object' as const, properties: { word: { type: 'string', description: 'A word.' } }, required: ['word'] },
  ...extra,
});

export interface OutsideSystem extends AsyncDisposable {
  readonly system: System;
  readonly admin: HttpCaller;
  readonly user: HttpCaller;
  readonly databaseUrl: string;
  /** What the command `filesystem` may read; it holds `note.txt`. */
  readonly folder: string;
  readonly newName: () => string;
  /** For all tenants, unless the body says otherwise. Throws when it is refused. */
  readonly register: (body: object) => Promise<ShownServer>;
  /** An outside server with these tools, and a name that nothing has yet. */
  readonly withServer: (
    tools: OutsideServer['tools'],
    shape?: 'mcp' | 'rest',
  ) => Promise<AsyncDisposable & { readonly server: OutsideServer; readonly name: string }>;
}

/** @param options how many, further settings of the gateways, and whether all run in this process */
export async function startOutsideSystem({
  gatewayEnv = {},
  ...others
}: Pick<SystemOptions, 'gateways' | 'workers' | 'gatewayEnv' | 'inProcess'> = {}): Promise<OutsideSystem> {
  await using started = new AsyncDisposableStack();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'invoq-outside-')));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'note.txt'), 'written by a test');
  const filesystem = { command: process.execPath, args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', folder] };
  const everything = { command: process.execPath, args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'] };
  const asking = { command: process.execPath, args: ['dist/test/lab/asking-command-main.js', folder] };
  // Most of these servers are for all tenants: no other test may find them.
  const postgres = started.use(await startPostgres());
  await migrate(postgres.url);
  const system = started.use(
    await startSystem({
      stores: { ...givenStores(), databaseUrl: postgres.url },
      mains,
      gateways: 2,
      workers: 2,
      gatewayEnv,
      ...others,
      workerEnv: {
        UPSTREAM_COMMANDS: JSON.stringify({ filesystem, everything, asking }),
        UPSTREAM_RECHECK_MS: '300',
        WEATHER_API_BASE: 'http://127.0.0.1:9',
      },
    }),
  );
  const [admin, user] = await Promise.all([system.admin(), system.caller()]);
  const owned = started.move();
  let names = 0;
  const newName = () => `t${process.pid}x${++names}`;
  return {
    system,
    admin,
    user,
    databaseUrl: postgres.url,
    folder,
    newName,
    register: async (body) => {
      const reply = await admin.post('/mcp/servers', { tenants: '*', ...body });
      if (reply.status !== 201) throw new Error(`not registered: ${reply.text}`);
      return reply.as(shownServer);
    },
    withServer: async (tools, shape) => {
      const server = await OutsideServer.start(shape);
      server.tools = tools;
      return { server, name: newName(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
