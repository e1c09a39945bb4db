// Outside servers and their tools as they were approved: what one process stores and all others serve.
import { z } from 'zod';

const jsonSchema = z.record(z.string(), z.unknown());

/** A tool as its server defined it when it was approved. */
export const outsideTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonSchema,
  outputSchema: jsonSchema.optional(),
  annotations: z
    .object({ readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional(),
});
export type OutsideTool = Readonly<z.infer<typeof outsideTool>>;

/** How a server is spoken to: the Model Context Protocol, or the REST shape of the Tool Use document (TU-94). */
export const outsideKinds = ['mcp', 'rest'] as const;
export type OutsideKind = (typeof outsideKinds)[number];

export const outsideServer = z.object({
  /** The first part of its tools' names. */
  name: z.string(),
  kind: z.enum(outsideKinds),
  /** Null for a server that a worker starts itself. */
  url: z.string().nullable(),
  /** Which of the worker's own commands starts it. */
  stdio: z.string().nullable(),
  /** Header values to send, sealed. */
  headers: z.string().nullable(),
  /** Counts approvals from 1; the major version of its tools. */
  approval: z.int().min(1),
  timeoutMs: z.int(),
  cacheTtlSeconds: z.int().nullable(),
  tools: z.array(outsideTool.extend({ suspended: z.string().optional() })),
});
export type OutsideServer = Readonly<z.infer<typeof outsideServer>>;

/** Names of servers: short enough that the tools' names stay within 64 characters, and without the separator. */
export const outsideServerName = /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/;
export const maxOutsideServerName = 24;
