import { z } from 'zod';
import { domains, resultCharacters, scopeNames, servedDomains } from '#lib/contracts';
import { commonSettings, keptFileSettings } from '#lib/platform';
import { mostPartitions, quotaSettings } from '#lib/transport';

const limit = (fallback: number) => z.coerce.number().int().min(1).max(1_000_000_000).default(fallback);

/** Comma-separated. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  );

/** `profile:20000,own:500`: a number for each of some domains; `own` stands for every domain of tenants' own workers. */
const byDomain = (number: z.ZodType<number>, what: string) =>
  list.transform((pairs, context): readonly (readonly [domain: string, number: number])[] =>
    pairs.map((pair) => {
      const [domain = '', text = ''] = pair.split(':').map((part) => part.trim());
      const parsed = number.safeParse(text === '' ? undefined : Number(text));
      if (parsed.success && (domain === 'own' || Object.hasOwn(domains, domain))) return [domain, parsed.data];
      const message = `must be pairs such as profile:${what}, comma-separated, of ${Object.keys(domains).join(', ')} or own, not "${pair}"`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }),
  );

/** Settings of the gateway besides the common ones. */
export const gatewaySettings = {
  ...commonSettings,
  ...keptFileSettings,
  ...quotaSettings,
  DOMAINS: servedDomains,
  /** Whether models may have code of theirs run, which calls tools: the tool `run_code`. */
  CODE_MODE: z.enum(['on', 'off']).default('off'),
  PORT: z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65_535).default(3_000),
  /** A second port for metrics alone, without a credential; for a private network. */
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(4),
  /**
   * Calls a second of one credential, by tier.
   * @limit rates: calls a second of a credential, tier free; RATE_LIMITED
   */
  RATE_LIMIT_FREE: limit(50),
  /** @limit rates: calls a second of a credential, tier pro; RATE_LIMITED */
  RATE_LIMIT_PRO: limit(5_000),
  /** @limit rates: calls a second of a credential, tier vip; RATE_LIMITED */
  RATE_LIMIT_VIP: limit(10_000),
  /**
   * Calls a day of one user, by tier; the day is that of UTC.
   * @limit rates: calls a day of a user, tier free; QUOTA_EXCEEDED
   */
  TOOL_QUOTA_FREE: limit(2_000),
  /** @limit rates: calls a day of a user, tier pro; QUOTA_EXCEEDED */
  TOOL_QUOTA_PRO: limit(5_000_000),
  /** @limit rates: calls a day of a user, tier vip; QUOTA_EXCEEDED */
  TOOL_QUOTA_VIP: limit(50_000_000),
  /**
   * Bytes that the calls of one tenant may hold in one partition of a domain: open ones, and ended ones for 24 h.
   * @limit places: bytes that calls of a tenant hold in a partition of a domain; QUOTA_EXCEEDED
   */
  TENANT_BYTES: z.coerce
    .number()
    .int()
    .min(1_048_576)
    .max(Number.MAX_SAFE_INTEGER)
    .default(2 * 1024 ** 3),
  /** Parts that the calls of a domain are spread over, each with a queue and a slot of its own; the same for all gateways. */
  PARTITIONS: z.coerce.number().int().min(1).max(mostPartitions).default(1),
  /** Calls that may be open in a partition of a domain, over all gateways. */
  MAX_OPEN: byDomain(z.int().min(1).max(10_000_000), '20000'),
  /** The part of them that one tenant may have. Below 1, the last tenth is kept for tenants with few. */
  TENANT_SHARE: byDomain(z.number().positive().max(1), '0.5'),
  /**
   * Characters of a result that a model reads, over `/mcp` and by `get_result`; the whole is read in parts.
   * @limit chats: characters of a result that a model reads; it gets the beginning
   */
  RESULT_CHARACTERS: resultCharacters,
  /**
   * Days that the audit of keys, approvals and outside servers is kept.
   * @limit storage: days of the audit
   */
  AUDIT_DAYS: z.coerce.number().int().min(30).max(36_500).default(365),
  /**
   * Calls that may rest in one partition of a domain in Redis; those beyond, and those that rest for more than a day, are in Postgres.
   * @limit places: resting calls in a partition of a domain in Redis; they rest in Postgres
   */
  RESTING_IN_REDIS: z.coerce.number().int().min(0).max(1_000_000).default(200_000),
  /**
   * Days that the history of calls is kept, and the sums of each day.
   * @limit storage: days of the history of calls
   */
  HISTORY_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** @limit storage: days of sums of usage */
  USAGE_DAYS: z.coerce.number().int().min(1).max(36_500).default(730),
  /**
   * Days that a batch and its results' places are kept after its end, and failed calls to be tried again.
   * @limit storage: days of failed calls that can be replayed, and of ended batches
   */
  FAILED_DAYS: z.coerce.number().int().min(1).max(365).default(7),
  /**
   * Points a second that a credential may take at one gateway, besides its calls, and an address without one; five seconds' points at once.
   * A plain request takes 1. A processor answers about 1,500 such requests a second, so a credential may take about a quarter of it.
   * @limit rates: points a second of a credential, besides its calls; a plain request takes 1; RATE_LIMITED
   */
  REQUESTS_PER_CREDENTIAL: limit(400),
  /** @limit rates: points a second of an address without a credential; RATE_LIMITED */
  REQUESTS_PER_ADDRESS: limit(100),
  /**
   * Requests that a credential may have open at one gateway: calls, waits and streams. About what a gateway answers in a second.
   * @limit rates: open requests of a credential at a gateway; RATE_LIMITED
   */
  OPEN_REQUESTS_PER_CREDENTIAL: limit(2_000),
  /**
   * Workers of a tenant's own that one key may have connected to one gateway.
   * @limit own tools: workers of a key at a gateway; RATE_LIMITED
   */
  WORKERS_PER_CREDENTIAL: limit(1_000),
  /**
   * Bytes that the approved contracts of one tenant's own tools may have together, and domains that it may have them in.
   * @limit own tools: bytes of the approved contracts of a tenant; it is not approved
   */
  SERVED_BYTES_PER_TENANT: limit(1_048_576),
  /** @limit own tools: domains of the tools of a tenant; it is not approved */
  SERVED_DOMAINS_PER_TENANT: limit(10),
  /**
   * Failed authentications a minute from one address before it has to wait.
   * @limit rates: failed authentications a minute of an address; RATE_LIMITED
   */
  AUTH_FAILURES_PER_MINUTE: limit(60),
  /** Tokens are accepted when an issuer and either its keys or shared secrets are given. */
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().default('invoq'),
  JWT_JWKS_URL: z.url().optional(),
  /**
   * The scopes that a token may have, whatever it claims, comma-separated. By default all but `admin` and `*`: an issuer that serves other
   * programs too may mean something else by `admin`.
   */
  JWT_MAX_SCOPES: list
    .prefault(scopeNames.filter((scope) => scope !== 'admin' && scope !== '*').join(','))
    .pipe(z.array(z.enum(scopeNames))),
  /** Comma-separated: each of them verifies, so that the issuer can change to a new one. */
  JWT_SECRET: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .refine((secrets) => secrets.every(({ length }) => length >= 32), {
      error: 'must be secrets of at least 32 characters, comma-separated; a secret cannot contain a comma',
    })
    .optional(),
  /** People sign in to the console at JWT_ISSUER, as this client of it (OpenID Connect). By keys and tickets alone when absent. */
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  /** None for a public client: PKCE protects the code either way. */
  CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
  /** Where the secret is sent: in the header `Authorization`, or in the body. */
  CONSOLE_OIDC_CLIENT_AUTH: z.enum(['basic', 'post']).default('basic'),
  /** Scopes that the issuer is asked for besides `openid`, comma-separated, where they bring the claims below. */
  CONSOLE_OIDC_SCOPES: list,
  /** Claims of the ID token. One in an object is found by its path: `realm_access.roles`. */
  CONSOLE_OIDC_USER_CLAIM: z.string().default('sub'),
  /** The tenant, comma-separated: the first that is there counts. */
  CONSOLE_OIDC_TENANT_CLAIMS: list.prefault('tenant_id,org_id,organization,tid'),
  /** Names of scopes, comma-separated: all of them count, within JWT_MAX_SCOPES. Other names mean nothing here. */
  CONSOLE_OIDC_SCOPE_CLAIMS: list.prefault('scope,permissions,roles,realm_access.roles'),
  /** Origins that browsers may call from, comma-separated; none by default. */
  CORS_ORIGINS: list,
  /** Host names that `/mcp` may be reached by, besides those of a loopback HOST; any when HOST is public and none is given. */
  ALLOWED_HOSTS: list,
  /** The address that clients know the gateway by, where it stands behind a proxy. */
  PUBLIC_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** Whether webhooks may be in private networks, and without TLS. By default they may, except in production. */
  WEBHOOK_PRIVATE: z.enum(['allow', 'refuse']).optional(),
  /** A folder of skills, `<skill>/SKILL.md`, that MCP clients can read. */
  SKILLS_DIR: z.string().default('skills'),
  /** The model that reads answers for the option `metacognition`, named like MODEL of the agent; rules alone when absent. */
  METACOGNITION_MODEL: z.string().optional(),
  MODEL_BASE_URL: z.url().optional(),
  MODEL_API_KEY: z.string().optional(),
  /** The day by which life cycles of tools are judged, to rehearse the end of one; today when absent. */
  LIFECYCLE_DATE: z.iso
    .date('must be a date such as 2027-01-01')
    .transform((text) => new Date(text))
    .optional(),
  /**
   * Conversations a day of one address without a credential.
   * @limit rates: chats a day of an address without a credential; QUOTA_EXCEEDED
   */
  GUEST_CHATS_PER_DAY: limit(5),
  /** Number of proxies in front whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  /**
   * Calls whose trace is kept in a second; those that fail or take a second or more are kept too. Default: 100 in production, else all. Telemetry
   * reads it before the application is loaded.
   */
  TRACES_PER_SECOND: z.coerce.number().int().min(0).max(1_000_000).optional(),
  /** How long it goes on serving after SIGTERM, unready, so that what stands in front sends it nothing more. In ms. */
  NOTICE_MS: z.coerce.number().int().min(0).max(60_000).default(1_000),
  /** How long open requests may take to finish after that. */
  DRAIN_MS: z.coerce.number().int().min(0).max(600_000).default(10_000),
} as const;

export type GatewaySettings = z.output<z.ZodObject<typeof gatewaySettings>>;
