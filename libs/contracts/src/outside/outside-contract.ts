// Makes a contract from the tool of an outside server, so that the pipeline handles it like any other tool.
import type { AppRules } from './apps.js';
import { z } from 'zod';
import type { ToolContract } from '../define-tool.js';
import { withEllipsis } from '../cut-text.js';
import { publishAs, toJsonSchema, type JsonSchema } from '../derive/json-schema.js';
import { toolNameShape } from '../derive/lint-definition.js';
import type { ForeignSchema } from '../derive/references.js';
import { longTextParameters, truncationInfo } from '../long-text.js';
import { sensitive } from '../marks.js';
import { parseParameters } from '../parameter-faults.js';
import { isStorable } from '../storable.js';
import { upstreamRules } from '../upstream-rules.js';
import { foreignObject } from './foreign-object.js';
import { outsideName } from './offered-names.js';
import type { OutsideServer, OutsideTool } from './server.js';

/** @limit outside servers: bytes of the definition of a tool; the tool is left out, and told */
const maxDefinitionBytes = 65_536;
/**
 * A longer description is cut: it would fill the context of a model.
 * @limit outside servers: characters of the description of a tool; it is cut
 */
const maxDescription = 4_096;
const { timeout: _timeout, ...retriesBeforeCall } = upstreamRules.retry;
const refusals = { UPSTREAM_REFUSED: 'EXECUTION_ERROR', UPSTREAM_INVALID_PARAMS: 'INVALID_PARAMS', UPSTREAM_CHANGED: 'CONFLICT' } as const;
/** What a status of HTTP says besides. */
const refusalsOfHttp = {
  UPSTREAM_NOT_FOUND: 'RESOURCE_NOT_FOUND',
  UPSTREAM_FORBIDDEN: 'PERMISSION_DENIED',
  UPSTREAM_CONFLICT: 'CONFLICT',
} as const;
/** Of a server that acts with accounts of callers: it refuses what its caller's account gives, or the account is for another server. */
const refusalsOfAccounts = { UPSTREAM_ACCOUNT_REFUSED: 'PERMISSION_DENIED', UPSTREAM_ACCOUNT_ELSEWHERE: 'PERMISSION_DENIED' } as const;
export type OutsideRefusal = Exclude<keyof typeof refusals, 'UPSTREAM_CHANGED'> | keyof typeof refusalsOfHttp;
/** Assumed typical size of an answer, which is not known. */
const typicalTokens = 500;

/** Fields of an answer whose long texts were cut (TU-54). */
const cutFields = { truncated: z.boolean().optional(), truncation_info: truncationInfo.optional() } as const;

/** A definition breaks a rule. The message names the rule and begins with `its`. */
export class OutsideToolError extends Error {
  override readonly name = 'OutsideToolError';
}

type ApprovedServer = Pick<
  OutsideServer,
  'tenantId' | 'name' | 'kind' | 'approval' | 'timeoutMs' | 'cacheTtlSeconds' | 'connection' | 'mayAsk'
> & { readonly apps: AppRules };

/** The contract of an outside tool as it was approved. Throws OutsideToolError for a definition that breaks a rule. */
export function outsideContract(server: ApprovedServer, tool: OutsideServer['tools'][number]): ToolContract {
  return readOutsideTool(server, tool).contract;
}

/**
 * The same with what is to be told of the definition: what is not checked, or not kept. Parameters are checked as far as the schema can be
 * expressed here; the server checks the rest. An answer is never refused.
 */
export function readOutsideTool(
  server: ApprovedServer,
  tool: OutsideServer['tools'][number],
): { readonly contract: ToolContract; readonly notes: readonly string[] } {
  const name = tool.offeredAs ?? outsideName(server.name, tool.name);
  if (tool.name === '' || !toolNameShape.test(name)) throw new OutsideToolError(`its name must match ${toolNameShape.source}`);
  const isWhole = bytesOf(tool) <= maxDefinitionBytes;
  if (!isWhole && bytesOf({ ...tool, outputSchema: undefined }) > maxDefinitionBytes)
    throw new OutsideToolError(`its definition must have at most ${maxDefinitionBytes} bytes`);
  if (!isStorable({ ...tool, offered: undefined }))
    throw new OutsideToolError('its definition must hold neither a NUL character nor half of a surrogate pair');
  const said = tool.description?.trim() || `The tool ${tool.name} of the server ${server.name}.`;
  const reads = tool.annotations?.readOnlyHint === true;
  const idempotent = reads || tool.annotations?.idempotentHint === true;
  const { cacheTtlSeconds, connection, mayAsk, apps } = server;
  const cutsText = !hasNames(tool);
  const input = inputOf(tool, cutsText);
  const output = isWhole ? outputOf(tool, cutsText) : outputOf({}, cutsText);
  const contract: ToolContract = {
    name,
    version: `${server.approval}.0.0`,
    title: tool.title ?? tool.name,
    description: withEllipsis(said, maxDescription),
    domain: 'perception',
    effect: reads ? 'read' : 'write',
    idempotent,
    input: input.zod,
    output: output.zod,
    errors: { ...refusals, ...(tool.operation && refusalsOfHttp), ...(connection && refusalsOfAccounts) },
    timeoutMs: tool.query?.given.timeout_ms ?? server.timeoutMs,
    // Outside servers take no idempotency key. A call that must not happen twice is retried only where it cannot have happened: after
    // a refusal by rate, and after a network failure that the worker knows to have come before the call.
    retry: idempotent ? upstreamRules.retry : retriesBeforeCall,
    ...(connection && { connection }),
    ...(reads && cacheTtlSeconds !== null && { cache: { ttlSeconds: cacheTtlSeconds } }),
    estimatedTokens: { output: { typical: typicalTokens } },
    upstream: {
      kind: server.kind,
      tenant: server.tenantId,
      server: server.name,
      tool: tool.name,
      approval: server.approval,
      cutsText,
      ...(mayAsk.length > 0 && { mayAsk }),
      ...(tool.ui && { app: tool.ui }),
      ...(apps.domains.length + apps.permissions.length > 0 && { apps }),
    },
    ...(tool.suspended !== undefined && { suspended: tool.suspended }),
    examples: [{ input: {}, output: {} }],
  };
  const notes = [
    ...(said.length > maxDescription ? [`its description is cut after ${maxDescription} characters`] : []),
    ...input.notes.map((note) => `inputSchema: ${note}`),
    ...output.notes.map((note) => `outputSchema: ${note}`),
    ...(isWhole ? [] : [`its outputSchema is left out: with it the definition has more than ${maxDefinitionBytes} bytes`]),
  ];
  return { contract, notes };
}

/** Of a definition as JSON, as its server gives it. */
function bytesOf(tool: OutsideServer['tools'][number]): number {
  return JSON.stringify({ ...tool, offered: undefined, note: undefined }).length;
}

/** Where an answer breaks the schema that its server declared for it, a sentence each. Empty where it declared none. */
export function breaksOfAnswer(contract: ToolContract, data: unknown): readonly string[] {
  const schema = declared.get(contract.output);
  if (!schema) return [];
  const parsed = parseParameters(schema, data);
  return parsed.success ? [] : parsed.faults.map(({ message }) => asField(message));
}

/** What is said of parameters, said of the fields of an answer. */
function asField(message: string): string {
  return message
    .replace(/^Missing required parameter: (.*)$/s, "the field '$1' is missing")
    .replace(/^Unexpected parameter: (.*)$/s, "the field '$1' is not declared")
    .replace(/^(Validation error: )?Parameter /, 'the field ')
    .replace(/^The parameters/, 'it');
}

/** Whether the server declared a schema for the answers. */
export function declaresAnswer(contract: ToolContract): boolean {
  return declared.has(contract.output);
}

/** Whether the tool has parameters or fields with the names that we would add. Then it means something else by them. */
function hasNames({ inputSchema, outputSchema }: OutsideTool): boolean {
  const names = [inputSchema, outputSchema].flatMap((schema) => {
    const properties = schema?.['properties'];
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  });
  return [...Object.keys(longTextParameters), ...Object.keys(cutFields)].some((name) => names.includes(name));
}

interface Side {
  readonly zod: z.ZodType<Record<string, unknown>>;
  readonly notes: readonly string[];
}

/** What servers declared of their answers, by the schema that takes any answer. */
const declared = new WeakMap<z.ZodType, z.ZodType>();

/** It is not known which parameters hold personal data, so logs and boards show none of them. */
function inputOf({ inputSchema }: OutsideTool, cutsText: boolean): Side {
  const extra = cutsText ? longTextParameters : {};
  const { zod, published, notes } = foreignObject(inputSchema, { extra, defaults: true, strips: true });
  return { zod: publishAs(sensitive(zod), withProperties(published, extra, 'input')), notes };
}

/** Any object: what a server answers after it has acted is never thrown away. What it declared is compared, and told. */
function outputOf({ outputSchema }: Pick<OutsideTool, 'outputSchema'>, cutsText: boolean): Side {
  const extra = cutsText ? cutFields : {};
  const zod = sensitive(z.looseObject({}));
  if (!outputSchema) return { zod: publishAs(zod, withProperties(anyAnswer, extra, 'output')), notes: [] };
  const wrapped = isOfObject(outputSchema)
    ? outputSchema
    : { type: 'object', properties: { result: outputSchema }, $defs: outputSchema['$defs'] };
  const own = foreignObject(wrapped, { extra, defaults: false, strips: false });
  const published = withProperties(own.published, extra, 'output');
  declared.set(zod, publishAs(own.zod, published));
  return { zod: publishAs(zod, published), notes: own.notes };
}

const anyAnswer: JsonSchema = { type: 'object', description: 'What the server answered.', additionalProperties: true };

/** Answers are objects here; one of another type is the field `result`. */
function isOfObject({ type }: ForeignSchema): boolean {
  const types: readonly unknown[] = [type ?? 'object'].flat();
  return types.includes('object');
}

function withProperties(schema: JsonSchema, extra: z.ZodRawShape, side: 'input' | 'output'): JsonSchema {
  const { properties = {} } = toJsonSchema(z.object(extra), side);
  return Object.keys(properties).length === 0 ? schema : { ...schema, properties: { ...schema.properties, ...properties } };
}
