import { z } from 'zod';
import { queueDepth, unservedSince } from './activity.js';

const count = z.number().int().min(0);

/** A domain that a tenant's own workers serve now, over all gateways, or served in the last 7 days. */
const ownDomain = queueDepth.extend({
  tenant_id: z.string(),
  domain: z.string(),
  unserved_since: unservedSince,
  /** Versions of tools that are served. */
  tools: z.array(z.string()),
  /** How many are connected; at most 50 of each gateway are listed. */
  connected: count,
  workers: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string().nullable(),
      key_id: z.string(),
      running: count,
      concurrency: count,
      since: z.iso.datetime(),
    }),
  ),
});
export type OwnDomain = z.infer<typeof ownDomain>;

/**
 * Answer of `GET /admin/workers`: the worker processes that were heard of in the last 15 seconds. With `Accept: text/event-stream` it comes
 * as the event `workers`, again every 2 seconds.
 */
export const workerList = z.strictObject({
  /** Of tenants' own; for those who administer one tenant, of that one. At most 100: those without a worker first, then by name. */
  own_domains: z.array(ownDomain),
  /** Our own; none for those who administer one tenant. */
  workers: z.array(
    z.strictObject({
      id: z.string(),
      domain: z.string(),
      /** Of Invoq. */
      version: z.string(),
      host: z.string(),
      pid: z.number().int(),
      /** Attempts that run now, and the most that may. */
      running: count,
      concurrency: count,
      /** When the process began. */
      since: z.iso.datetime(),
      seen_at: z.iso.datetime(),
    }),
  ),
});
export type WorkerList = z.infer<typeof workerList>;

/** Answer of `GET /admin/settings`: the settings of the gateway that answers. */
export const settingList = z.strictObject({
  settings: z.array(
    z.strictObject({
      /** Of the environment variable. */
      name: z.string(),
      /** Null where nothing is set. `[secret]` stands for a secret that is set; URLs come without user and password. */
      value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]),
      is_secret: z.boolean(),
      /** False where the environment says it. */
      is_default: z.boolean(),
    }),
  ),
});
export type SettingList = z.infer<typeof settingList>;

const usedOf = z.strictObject({
  used: count,
  /** Null where there is none. */
  limit: count.nullable(),
});

/** Answer of `GET /usage`. Days are those of UTC, newest first, today included. */
export const usageSchema = z.strictObject({
  tenant_id: z.string(),
  user_id: z.string().nullable(),
  tier: z.string(),
  /** Tool calls of the last 7 days. */
  calls: z.strictObject({
    days: z.array(
      z.strictObject({
        day: z.iso.date(),
        /** Calls that ran and have ended, as `GET /usage/calls` has them: a second or two late. */
        used: count,
        /**
         * What the limit of the day has counted beside them: calls that are open, answers from the cache, and what gateways count ahead, which
         * they give back when nobody calls for some seconds.
         */
        reserved: count,
      }),
    ),
    /** Of `used` and `reserved` together. */
    limit: count,
    resets_at: z.iso.datetime(),
  }),
  /** Calls that the credential may make in one second. */
  rate_limit: count,
  /** Conversations and tokens of today. The day of the chat is that of the setting QUOTA_TZ. */
  chat: z.strictObject({ conversations: usedOf, tokens: usedOf, resets_at: z.iso.datetime() }),
});
export type Usage = z.infer<typeof usageSchema>;

/** Answer of `GET /knowledge/collections`: those that the caller's searches reach. */
export const collectionList = z.strictObject({
  collections: z.array(
    z.strictObject({
      name: z.string(),
      /** True for one that all tenants share. */
      is_shared: z.boolean(),
      documents: count,
      sections: count,
      /** Null while it is empty. */
      last_import_at: z.iso.datetime().nullable(),
    }),
  ),
});
export type CollectionList = z.infer<typeof collectionList>;

/** Answer of `GET /memotree/workspaces`: those that the caller may open. */
export const workspaceList = z.strictObject({
  workspaces: z.array(
    z.strictObject({
      name: z.string(),
      /** True for the caller's own, which nobody else may open. It is listed before it exists: the first call makes it. */
      is_own: z.boolean(),
      /** Null before the first call. */
      created_at: z.iso.datetime().nullable(),
      branches: count,
      /** Working sessions of the caller that have staged changes, by the branch that they are of. */
      staged: z.array(
        z.strictObject({
          /** As in `X-Session-Id`; empty for the session of calls without one. */
          session: z.string(),
          branch: z.string(),
          changes: count,
        }),
      ),
    }),
  ),
});
export type WorkspaceList = z.infer<typeof workspaceList>;
