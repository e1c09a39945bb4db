import { z } from 'zod';
import { redisFault, redisModes } from './redis-servers.js';

const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** `id:base64` pairs, the first seals and all open. */
const sealingKeys = z
  .string()
  .transform((text, context) =>
    text.split(',').map((pair) => {
      const [id = '', encoded = ''] = pair.trim().split(':');
      const key = Buffer.from(encoded, 'base64');
      if (!/^[A-Za-z0-9_-]{1,16}$/.test(id) || key.length !== 32) {
        context.addIssue({
          code: 'custom',
          message: 'must be `id:key` pairs, comma-separated, each key 32 bytes in base64 (openssl rand -base64 32)',
        });
        return z.NEVER;
      }
      return { id, key };
    }),
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, {
    // What was sealed names its key by the id alone.
    error: 'must not use an id twice: a new key needs a new id',
  });

/**
 * A setting that is a JSON object; empty by default.
 * @param form what it looks like, for who wrote something else
 */
export function jsonSetting<Schema extends z.ZodType>(schema: Schema, form: string) {
  return z
    .string()
    .default('{}')
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: `must be a JSON object ${form}: it is no JSON` });
        return z.NEVER;
      }
    })
    .transform((value, context): z.output<Schema> => {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      const where = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : 'it is no such object';
      context.addIssue({ code: 'custom', message: `must be a JSON object ${form}: ${where}` });
      return z.NEVER;
    });
}

/** Where files are: those that tools make, and what is too large for Redis. The gateways and all workers must see the same place. */
export const fileSettings = {
  /** The folder, used without a bucket. */
  FILES_DIR: z.string().default('.data/files'),
  FILES_S3_BUCKET: z.string().optional(),
  /** URL of a store other than Amazon's; bucket names are then part of the path. Credentials come from the AWS SDK's own variables. */
  FILES_S3_ENDPOINT: z.url().optional(),
  FILES_S3_REGION: z.string().default('us-east-1'),
} as const;

/** How long files of tools are kept, and read by their links: of every process that makes some. */
export const keptFileSettings = {
  /** How long a signed link holds. */
  FILES_LINK_MINUTES: z.coerce.number().min(0.01).max(10_080).default(60),
  /** How long a file is kept. */
  FILES_KEEP_HOURS: z.coerce.number().min(0.01).max(8_760).default(24),
} as const;

export type FileSettings = z.output<z.ZodObject<typeof fileSettings>>;

/** Settings that lead to Redis. */
export const redisSettings = {
  /** `redis-servers.ts` judges it, as its form depends on the mode. */
  REDIS_URL: z.string(),
  REDIS_MODE: z.enum(redisModes).default('single'),
  REDIS_SENTINEL_NAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
} as const;

/** Settings that every process has. */
export const commonSettings = {
  ...fileSettings,
  /** Whoever forgets it gets the strict rules: no debug output, no private upstreams. `npm start` sets development. */
  NODE_ENV: z.enum(['development', 'test', 'production']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ...redisSettings,
  DATABASE_URL: url(['postgres:', 'postgresql:']),
  INVOQ_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'must match [a-z0-9-]{1,40}')
    .default('invoq'),
  SEALING_KEYS: sealingKeys,
  /** Before the first retry of tools that ask services of others, in ms; each later delay is twice as long. */
  RETRY_BASE_MS: z.coerce.number().int().min(10).max(60_000).default(2_000),
  /** Whether providers of users' accounts may be in private networks, and without TLS. By default they may, except in production. */
  PROVIDER_PRIVATE: z.enum(['allow', 'refuse']).optional(),
  /** Whether spans for a collector have parameters and results of tools, as logs may show them; off by default. `telemetry/register.ts` reads it. */
  TRACE_CONTENT: z.enum(['on', 'off']).optional(),
  HOST: z.string().default('127.0.0.1'),
} as const;

/** Settings of a process that runs attempts. */
export const workerSettings = {
  ...commonSettings,
  /** Where its health and metrics answer. */
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Attempts at the same time; the domain's own number when absent. */
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).optional(),
  /** How long running attempts may take to finish after SIGTERM. */
  DRAIN_MS: z.coerce.number().int().min(0).max(600_000).default(20_000),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(4),
} as const;

export type WorkerSettings = z.output<z.ZodObject<typeof workerSettings>>;

/** All faults of the environment at once, each with its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The parsed settings. An empty variable counts as absent. Throws ConfigError; values are never repeated, they may be secrets. */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv = process.env,
): z.output<z.ZodObject<Shape>> {
  const faults = settingFaults(shape, env).map(({ name, message }) => `  ${name} ${message}`);
  if (faults.length > 0) throw new ConfigError(`The environment is not right (see .env.example):\n${faults.join('\n')}`);
  return z.object(shape).parse(givenIn(env));
}

export interface SettingFault {
  /** The variable. */
  readonly name: string;
  /** What is wrong with it. */
  readonly message: string;
}

/** What is wrong with these settings in the environment; empty where nothing is. */
export function settingFaults(shape: z.ZodRawShape, env: NodeJS.ProcessEnv = process.env): readonly SettingFault[] {
  const given = givenIn(env);
  const issues = z.object(shape).safeParse(given).error?.issues ?? [];
  const faults = issues.map(({ path, message }) => {
    const name = path.map(String).join('.');
    return { name, message: given[name] === undefined ? 'is missing' : message };
  });
  // What several settings say together is told beside the faults of others.
  const redis = 'REDIS_URL' in shape ? z.object(redisSettings).safeParse(given).data : undefined;
  const fault = redis && redisFault(redis);
  return fault ? [fault, ...faults] : faults;
}

/** An empty variable counts as absent. */
function givenIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

/**
 * The same for a process's own start: says what is wrong and ends, without a stack.
 * @param check finds what several of the settings say together that is not right
 */
export function settingsOrExit<Shape extends z.ZodRawShape>(
  shape: Shape,
  check: (settings: z.output<z.ZodObject<Shape>>) => SettingFault | null = () => null,
): z.output<z.ZodObject<Shape>> {
  try {
    const settings = readSettings(shape);
    const fault = check(settings);
    if (fault) throw new ConfigError(`The environment is not right (see .env.example):\n  ${fault.name} ${fault.message}`);
    return settings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
