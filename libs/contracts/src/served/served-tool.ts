// What a worker of a tenant announces of a tool: its contract as data, as it is sent, kept and compared.
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ServedDomainName } from '../domains.js';
import { connectionNeed } from '../console/accounts.js';
import { errorCodes, type ErrorCode } from '../errors.js';
import { contractFlow } from '../console/flows.js';
import { mostCostMicros } from '../cost.js';
import { mostRestMs } from '../rest.js';
import { toolNameShape } from '../derive/lint-definition.js';

/** The form of the names that a tenant gives its domains. Short, because they are part of job ids. */
export const servedDomainShape = /^[a-z][a-z0-9-]{0,18}$/;

/** Of one contract as JSON: its size, how deep its schemas may nest, and how many values it may hold. */
export const servedLimits = { bytes: 65_536, depth: 24, values: 4_000, toolsOfAnnouncement: 100 } as const;

type SemanticVersion = `${number}.${number}.${number}`;
const versionShape = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;
const version = z.custom<SemanticVersion>((value) => typeof value === 'string' && versionShape.test(value), {
  error: 'must be a version of three numbers, such as 1.0.0',
});
const families = Object.keys(errorCodes);
const family = z.custom<ErrorCode>((value) => typeof value === 'string' && families.includes(value), {
  error: `must be one of [${families.join(', ')}]`,
});
const jsonSchema = z.record(z.string(), z.unknown());
const parameterNames = z.array(z.string().min(1).max(100)).max(50);

const retryRule = z.strictObject({
  /** Retries after the first attempt. */
  times: z.int().min(0).max(5),
  /** Delay before the first of them, in ms. */
  base_ms: z.int().min(0).max(60_000),
  factor: z.number().min(1).max(10).optional(),
  /** Share of the delay that is random. */
  jitter: z.number().min(0).max(1).optional(),
  max_ms: z.int().min(0).max(60_000).optional(),
});

const tokens = z.int().min(0).max(1_000_000);

/** `define-tool.ts` explains the fields. Times are in ms unless they are named otherwise. */
export const servedTool = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, `must match ${toolNameShape.source} in lower case`)
    .refine((name) => !name.includes('__'), 'must not contain __, which stands in the names of outside tools')
    .refine((name) => !/^(batch|call|list)$/.test(name), 'must not be batch, call or list, which are other doors at POST /tools/…'),
  version,
  title: z.string().trim().min(1).max(100),
  description: z.string().trim().min(1).max(1_024),
  changelog: z.record(z.string().max(20), z.string().max(1_000)).optional(),
  preview: z.boolean().optional(),
  /** JSON Schema of an object. Fields may be marked `"sensitive": true`. */
  input: jsonSchema,
  /** JSON Schema of an object. Fields may also be marked `"secret": true`. */
  output: jsonSchema,
  /** The literals that it may refuse with, and the code of the table that each belongs to. */
  errors: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a word such as NO_SUCH_ORDER'), family).default({}),
  effect: z.enum(['read', 'write']),
  idempotent: z.boolean().optional(),
  destructive: z.boolean().optional(),
  timeout_ms: z.int().min(1).max(300_000),
  retry: z
    .strictObject({
      network: retryRule.optional(),
      timeout: retryRule.optional(),
      'rate-limit': retryRule.optional(),
      service: retryRule.optional(),
    })
    .optional(),
  cache: z
    .strictObject({
      ttl_seconds: z.int().min(1).max(86_400),
      scope: z.enum(['tenant', 'user']).optional(),
      key_params: parameterNames.optional(),
    })
    .optional(),
  single_flight: z.strictObject({ window_ms: z.int().min(0).max(60_000), key_params: parameterNames.optional() }).optional(),
  per_session: z.boolean().optional(),
  approval: z
    .union([
      z.literal(true),
      z.strictObject({
        when: z.string().min(1).max(2_000).optional(),
        message: z.string().min(1).max(500).optional(),
        expires_ms: z.int().min(1_000).max(mostRestMs).optional(),
        self: z.boolean().optional(),
      }),
    ])
    .optional(),
  connection: connectionNeed.optional(),
  /** What a call that runs costs, in millionths of a US dollar. */
  cost: z.strictObject({ micros: z.int().min(0).max(mostCostMicros) }).optional(),
  flow: contractFlow.optional(),
  revalidates: z.boolean().optional(),
  streaming: z.boolean().optional(),
  secret_life: z.strictObject({ ms: z.int().min(1_000).max(86_400_000), once: z.boolean() }).optional(),
  priority: z.int().min(0).max(10).optional(),
  max_input_bytes: z.int().min(1).max(1_048_576).optional(),
  estimated_tokens: z
    .union([
      tokens,
      z.strictObject({
        input: tokens.optional(),
        output: z.strictObject({ min: tokens.optional(), max: tokens.optional(), typical: tokens }),
      }),
    ])
    .default(500),
  deprecated: z.boolean().optional(),
  sunset_date: z.iso.date().optional(),
  replacement: z.string().max(64).optional(),
  migration_guide: z.url().max(500).optional(),
  /** A call and its answer; they must fit the schemas. */
  examples: z
    .array(z.strictObject({ input: jsonSchema, output: jsonSchema }))
    .max(10)
    .default([]),
});
export type ServedTool = z.output<typeof servedTool>;

/** Whose tool it is. */
export interface ServedPlace {
  readonly tenant: string;
  /** The tenant's own name of the domain, as `servedDomainShape`. */
  readonly domain: string;
}

/** The name of the queue of a tenant's domain. Different tenants have different ones, whatever their ids are. */
export function servedDomainName({ tenant, domain }: ServedPlace): ServedDomainName {
  return `own-${hash('sha256', tenant, 'hex').slice(0, 16)}-${domain}`;
}
