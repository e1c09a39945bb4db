// Outside servers and their tools as they were approved. One process stores them; all others serve them.
import { z } from 'zod';
import { connectionNeed } from '../console/accounts.js';
import { appRules, toolApp } from './apps.js';
import { openApiSource, outsideOperation } from './operation.js';
import { relayedAsk } from './relayed.js';
import { outsideQuery } from './query.js';

const jsonSchema = z.record(z.string(), z.unknown());

/** A tool, as its server defined it when it was approved. */
export const outsideTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonSchema,
  outputSchema: jsonSchema.optional(),
  annotations: z
    .object({ readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional(),
  /** Its page, for clients that show one. */
  ui: toolApp.optional(),
  /** The request that a call is, for a tool of an OpenAPI document. */
  operation: outsideOperation.optional(),
  /** The query that a call is, for a tool of a database. */
  query: outsideQuery.optional(),
});
export type OutsideTool = Readonly<z.infer<typeof outsideTool>>;

/** What a server speaks: the Model Context Protocol, the REST format of the Tool Use document (TU-94), HTTP as an OpenAPI document says, or SQL. */
export const outsideKinds = ['mcp', 'rest', 'openapi', 'sql'] as const;
export type OutsideKind = (typeof outsideKinds)[number];

/** A definition that is not served, and why. */
const rejectedTool = z.object({ tool: z.string(), reason: z.string() });

const storedServer = z.object({
  /** As `outsideServerId` makes it. */
  id: z.string(),
  /** Whose it is; null for one that an operator registered for all tenants. */
  tenantId: z.string().nullable(),
  kind: z.enum(outsideKinds),
  /** Of an OpenAPI server that of its document, of a database without its login. Null for a server that the worker starts as a process, and for a document that was given. */
  url: z.string().nullable(),
  /** Name of the worker's configured command that starts it. */
  stdio: z.string().nullable(),
  /** The headers to send, encrypted. */
  headers: z.string().nullable(),
  /** Null for other kinds. */
  openapi: openApiSource.nullable().default(null),
  /** The provider whose accounts of callers its requests are made with. */
  connection: connectionNeed.nullable().default(null),
  /** What it may ask of callers besides forms. */
  mayAsk: z.array(relayedAsk).readonly().default([]),
  /** What pages of its tools may load and use. */
  apps: appRules.prefault({}),
  /** Number of the approval, from 1. It is the major version of the server's tools. */
  approval: z.int().min(1),
  timeoutMs: z.int(),
  cacheTtlSeconds: z.int().nullable(),
  tools: z.array(
    outsideTool.extend({
      /** The name under which it is served, where it is another than `<server>__<tool>`. */
      offeredAs: z.string().optional(),
      /** What an administrator is to know of its definition. */
      note: z.string().optional(),
      /** Why it is not called. */
      suspended: z.string().optional(),
      /** How its server defined it when it was suspended; absent where the server had it no more. */
      offered: outsideTool.optional(),
    }),
  ),
  rejected: z.array(rejectedTool).default([]),
});

/** A server as it is read from its row. */
export const outsideServer = storedServer.transform(({ id, ...server }) => ({
  ...server,
  /** Prefix of its tools' names. Names have no stroke, whatever the ids of tenants have. */
  name: id.slice(id.lastIndexOf('/') + 1),
}));
export type OutsideServer = Readonly<z.infer<typeof outsideServer>>;

/** Names a server among those of all tenants: what it is stored, connected and sealed under. */
export function outsideServerId({ tenantId, name }: Pick<OutsideServer, 'tenantId' | 'name'>): string {
  return tenantId === null ? name : `${tenantId}/${name}`;
}

/** What the headers of a server are sealed for: they open for this server of this tenant alone. */
export function sealedHeadersPurpose(server: Pick<OutsideServer, 'tenantId' | 'name'>): string {
  return `mcp-server ${outsideServerId(server)}`;
}

const credentialMark = 'credential ';

/** What is sealed of a registration: its headers, and its credentials by the schemes of a document. No header has a blank in its name. */
export function valuesToSeal(
  headers: Readonly<Record<string, string>>,
  credentials: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...headers, ...Object.fromEntries(Object.entries(credentials).map(([scheme, value]) => [credentialMark + scheme, value])) };
}

export function headersOfSealed(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith(credentialMark)));
}

export function credentialsOfSealed(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const marked = Object.entries(values).filter(([name]) => name.startsWith(credentialMark));
  return Object.fromEntries(marked.map(([name, value]) => [name.slice(credentialMark.length), value]));
}

/** The form of server names. They do not contain the separator `__`, and are short, so that tool names stay within 64 characters. */
export const outsideServerName = /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/;
export const maxOutsideServerName = 24;
