import { openAccounts, providerRules } from '#lib/accounts';
import { z } from 'zod';
import {
  exitOnMissingRights,
  jsonSetting,
  redisServers,
  Rounds,
  startSweep,
  succeedingProcess,
  type Database,
  type Logger,
  type WorkerSettings,
} from '#lib/platform';
import { Leases, logRedisFaults, RedisKeys, requestConnection, Sealer, WatchedResources, watchRights } from '#lib/transport';
import type { UpstreamServices } from './services.js';
import { DocumentReader } from '../openapi/document-reader.js';
import { ServerStore } from './server-store.js';
import { Upstreams } from './upstreams.js';
import { Watching } from './watching.js';

const commands = z.record(z.string(), z.object({ command: z.string().min(1), args: z.array(z.string()).default([]) }));

/** Settings for outside tool servers. */
export const upstreamSettings = {
  /** Hosts that may be registered, comma-separated: `example.com` or `*.example.com`. Empty for every public host. */
  UPSTREAM_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((host) => host.trim())
        .filter(Boolean),
    ),
  /** Whether servers may be in private networks. By default they may, except in production. */
  UPSTREAM_PRIVATE: z.enum(['allow', 'refuse']).optional(),
  /** Commands that this worker may start, as JSON: `{"files":{"command":"npx","args":["…"]}}`. */
  UPSTREAM_COMMANDS: jsonSetting(commands, '{ "<name>": { "command": "…", "args": ["…"] } }'),
  /** How long a comparison of definitions with the approved ones holds, in ms. */
  UPSTREAM_RECHECK_MS: z.coerce.number().int().min(0).max(3_600_000).default(60_000),
} as const;

type Settings = WorkerSettings & z.output<z.ZodObject<typeof upstreamSettings>>;

/** How soon a resource is subscribed to that a client begins to listen for, in ms. */
const watchMs = 2_000;
/** How soon the connection to a server ends that was removed, in ms. */
const leaveMs = 5_000;

/** Opens what the handlers for outside servers need, with a Redis connection of its own. @param root the folder that contains `dist` and `node_modules` */
export function openUpstreams(
  settings: Settings,
  { database, log, root }: { readonly database: Database; readonly log: Logger; readonly root: string },
): Omit<UpstreamServices, 'reportFiles'> & { readonly close: () => Promise<void> } {
  const redis = requestConnection(settings);
  logRedisFaults([redis], log);
  const keys = new RedisKeys(settings.INVOQ_NAMESPACE);
  void watchRights(
    redis,
    { keys: [keys.watchingTenants()], channels: [keys.changesOf('outside')] },
    exitOnMissingRights(log, redisServers(settings).username),
  );
  const sealer = new Sealer(settings.SEALING_KEYS);
  const servers = new ServerStore({ database, redis, keys, sealer });
  const documents = new DocumentReader(root);
  const upstreamRules = {
    allowedHosts: settings.UPSTREAM_ALLOWED_HOSTS,
    allowPrivate: settings.UPSTREAM_PRIVATE === undefined ? settings.NODE_ENV !== 'production' : settings.UPSTREAM_PRIVATE === 'allow',
    commands: settings.UPSTREAM_COMMANDS,
    documents,
  };
  const { accounts } = openAccounts({ database, sealer, rules: providerRules(settings), log });
  const upstreams = new Upstreams({ rules: upstreamRules, store: servers, recheckMs: settings.UPSTREAM_RECHECK_MS, log });
  const resealing = startSweep('headers of outside servers', () => resealHeaders(servers, log), log);
  const leaving = new Rounds({
    everyMs: leaveMs,
    round: () => upstreams.leaveRemoved(),
    onFault: (error) => log.warn({ event: 'servers-not-looked-up', err: error }, 'it is not known which outside servers were removed'),
  });
  leaving.start();
  const watched = new WatchedResources(redis, keys);
  const watching = new Watching({ watched, store: servers, upstreams, accounts, leases: new Leases(redis, succeedingProcess()), log });
  const watches = new Rounds({
    everyMs: watchMs,
    round: () => watching.round(),
    onFault: (error) => log.warn({ event: 'watched-resources-unknown', err: error }, 'it is not known which resources are listened for'),
  });
  watches.start();
  return {
    servers,
    upstreams,
    upstreamRules,
    accounts,
    close: async () => {
      await Promise.all([resealing.stop(), leaving.stop(), watches.stop()]);
      await upstreams.close();
      documents.close();
      redis.disconnect();
    },
  };
}

/** A registration that was sealed with the older key may come late, from a process that is still to be restarted: hence again and again. */
async function resealHeaders(servers: ServerStore, log: Logger): Promise<void> {
  const { resealed, unreadable } = await servers.resealHeaders();
  if (resealed.length > 0)
    log.info({ event: 'headers-resealed', servers: resealed }, 'headers of outside servers are sealed with the first key now');
  if (unreadable.length > 0)
    log.warn(
      { event: 'headers-unreadable', servers: unreadable },
      'no key of SEALING_KEYS opens the headers of these servers: add the key that sealed them, or register the servers again',
    );
}
