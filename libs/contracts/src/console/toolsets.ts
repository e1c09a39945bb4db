import { z } from 'zod';
import { toolNameShape } from '../derive/lint-definition.js';
import { toolPatternShape } from '../narrowing.js';
import { policyName } from './policies.js';

/** @limit a tenant: patterns of a set; INVALID_PARAMS */
const mostPatterns = 200;
/** @limit a tenant: renamed tools of a set; INVALID_PARAMS */
const mostNames = 500;

/** Name of a set, as of a policy. */
export const toolsetName = policyName;

const pattern = z.string().regex(toolPatternShape, 'must be a name of a tool, with * for any characters');
const legalName = z.string().regex(toolNameShape, `must match ${toolNameShape.source}`);

/** Body of `PUT /toolsets/{name}`. */
export const newToolset = z.strictObject({
  /** Names of tools, or aliases; `*` stands for any characters. A tool that comes later and fits is in the set, too. */
  tools: z.array(pattern).min(1).max(mostPatterns),
  /** Other names, by the names of tools. */
  rename: z
    .record(z.string().min(1).max(100), legalName)
    .refine((names) => Object.keys(names).length <= mostNames, `must have at most ${mostNames} names`)
    .optional(),
  /** What each name begins with, renamed or not: a letter or `_`, then letters, digits, `_` and `-`. */
  prefix: z
    .string()
    .max(32)
    .regex(/^([a-zA-Z_][a-zA-Z0-9_-]*)?$/, 'must be a letter or _, then letters, digits, _ and -')
    .optional(),
  /** Only tools that change nothing. Default false. */
  read_only: z.boolean().optional(),
});
export type NewToolset = z.output<typeof newToolset>;

/** The fields of a set as its row has them. */
export const storedToolset = z.object({
  tools: z.array(z.string()),
  rename: z.record(z.string(), z.string()),
  prefix: z.string(),
  readOnly: z.boolean(),
});

const problem = z.strictObject({
  /** Its own name. */
  tool: z.string(),
  /** Under which the set would offer it. */
  name: z.string(),
  reason: z.string(),
});

/** A named set of tools of a tenant. */
export const toolset = z.strictObject({
  name: z.string(),
  tools: z.array(z.string()),
  rename: z.record(z.string(), z.string()),
  prefix: z.string(),
  read_only: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** How many tools it offers now. */
  offers: z.int(),
  /** What it has and cannot offer, because tools came after it. */
  problems: z.array(problem),
});
export type ToolsetItem = z.infer<typeof toolset>;

/** Answer of `GET /toolsets`, by name: all that the tenant has. */
export const toolsetList = z.strictObject({ toolsets: z.array(toolset) });
export type ToolsetList = z.infer<typeof toolsetList>;

/** What an agent sees of a set, and what that costs it. */
export const toolsetPreview = z.strictObject({
  tools: z.array(
    z.strictObject({
      /** Under which the agent sees and calls it. */
      name: z.string(),
      /** Its own name. */
      tool: z.string(),
      effect: z.enum(['read', 'write']),
      /** As the agent gets it, in the form that was asked for. */
      definition: z.record(z.string(), z.unknown()),
      /** Tokens of the definition, estimated. */
      tokens: z.int(),
      /** Tokens of a typical answer, as its contract says. */
      answer_tokens: z.number(),
    }),
  ),
  /** Of all definitions together. */
  tokens: z.int(),
  problems: z.array(problem),
});
export type ToolsetPreview = z.infer<typeof toolsetPreview>;
