// Makes a contract from the tool of an outside server, so that the pipeline handles it like any other tool.
import { z } from 'zod';
import type { ToolContract } from '../define-tool.js';
import { withBoundedWork } from '../derive/bounded-work.js';
import { objectFromJsonSchema } from '../derive/from-json-schema.js';
import { toolNameShape } from '../derive/lint-definition.js';
import { longTextParameters, truncationInfo } from '../long-text.js';
import { sensitive } from '../marks.js';
import { isStorable } from '../storable.js';
import { upstreamRules } from '../upstream-rules.js';
import type { OutsideServer, OutsideTool } from './server.js';

/** Stands between the names of server and tool. */
const separator = '__';
const maxDefinitionBytes = 32_768;
const maxDescription = 4_096;
const { timeout: _timeout, ...retriesBeforeCall } = upstreamRules.retry;
/** Assumed typical size of an answer, which is not known. */
const typicalTokens = 500;

/** Fields of an answer whose long texts were cut (TU-54). */
const cutFields = { truncated: z.boolean().optional(), truncation_info: truncationInfo.optional() } as const;

/** A definition breaks a rule. The message names the rule and begins with `its`. */
export class OutsideToolError extends Error {
  override readonly name = 'OutsideToolError';
}

/** The name under which an outside tool is served. */
export function outsideName(server: string, tool: string): string {
  return `${server}${separator}${tool}`;
}

type ApprovedServer = Pick<OutsideServer, 'name' | 'kind' | 'approval' | 'timeoutMs' | 'cacheTtlSeconds'>;

/**
 * The contract of an outside tool as it was approved. Parameters and answers are checked as far as its JSON Schemas say.
 * Throws OutsideToolError for a definition that breaks a rule.
 */
export function outsideContract(server: ApprovedServer, tool: OutsideServer['tools'][number]): ToolContract {
  const name = outsideName(server.name, tool.name);
  const description = tool.description?.trim() || `The tool ${tool.name} of the server ${server.name}.`;
  if (tool.name === '' || !toolNameShape.test(name))
    throw new OutsideToolError(`its name must match ${toolNameShape.source} together with '${server.name}${separator}'`);
  if (JSON.stringify({ ...tool, offered: undefined }).length > maxDefinitionBytes)
    throw new OutsideToolError(`its definition must have at most ${maxDefinitionBytes} bytes`);
  if (!isStorable({ ...tool, offered: undefined }))
    throw new OutsideToolError('its definition must hold neither a NUL character nor half of a surrogate pair');
  if (description.length > maxDescription) throw new OutsideToolError(`its description must have at most ${maxDescription} characters`);
  const reads = tool.annotations?.readOnlyHint === true;
  const idempotent = reads || tool.annotations?.idempotentHint === true;
  const { cacheTtlSeconds } = server;
  const cutsText = !hasNames(tool);
  return {
    name,
    version: `${server.approval}.0.0`,
    title: tool.title ?? tool.name,
    description,
    domain: 'perception',
    effect: reads ? 'read' : 'write',
    idempotent,
    // It is not known which parameters hold personal data, so logs and boards show none of them.
    input: sensitive(inputOf(tool, cutsText)),
    output: sensitive(outputOf(server, tool, cutsText)),
    errors: { UPSTREAM_REFUSED: 'EXECUTION_ERROR', UPSTREAM_INVALID_PARAMS: 'INVALID_PARAMS', UPSTREAM_CHANGED: 'CONFLICT' },
    timeoutMs: server.timeoutMs,
    // Outside servers take no idempotency key. A call that must not happen twice is retried only where it cannot have happened: after
    // a refusal by rate, and after a network failure that the worker knows to have come before the call.
    retry: idempotent ? upstreamRules.retry : retriesBeforeCall,
    ...(reads && cacheTtlSeconds !== null && { cache: { ttlSeconds: cacheTtlSeconds } }),
    estimatedTokens: { output: { typical: typicalTokens } },
    upstream: { server: server.name, tool: tool.name, approval: server.approval, cutsText },
    ...(tool.suspended !== undefined && { suspended: tool.suspended }),
    examples: [{ input: {}, output: {} }],
  };
}

/** Whether the tool has parameters or fields with the names that we would add. Then it means something else by them. */
function hasNames({ inputSchema, outputSchema }: OutsideTool): boolean {
  const names = [inputSchema, outputSchema].flatMap((schema) => {
    const properties = schema?.['properties'];
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  });
  return [...Object.keys(longTextParameters), ...Object.keys(cutFields)].some((name) => names.includes(name));
}

function inputOf({ inputSchema }: OutsideTool, cutsText: boolean): z.ZodType<Record<string, unknown>> {
  const own = objectFrom({ ...inputSchema, type: 'object' }, 'inputSchema');
  const schema = cutsText ? own.safeExtend(longTextParameters) : own;
  // Unknown parameters are dropped unless the schema forbids them (C-16).
  return withBoundedWork(inputSchema['additionalProperties'] === false ? schema : schema.strip(), inputSchema);
}

function outputOf(server: Pick<OutsideServer, 'kind'>, tool: OutsideTool, cutsText: boolean): z.ZodType {
  const own = ownOutputOf(server, tool);
  return withBoundedWork(cutsText ? own.safeExtend(cutFields) : own, tool.outputSchema ?? {});
}

function ownOutputOf({ kind }: Pick<OutsideServer, 'kind'>, { outputSchema }: OutsideTool): z.ZodObject {
  if (outputSchema && outputSchema['type'] === 'object') return objectFrom(outputSchema, 'outputSchema');
  if (kind === 'rest' || outputSchema) return z.looseObject({}).describe('What the server answered.');
  const block = z.looseObject({ type: z.string() });
  return z.looseObject({ content: z.array(block).describe('Text, images, audio and links, as the server gave them.') });
}

function objectFrom(schema: Readonly<Record<string, unknown>>, which: string): z.ZodObject {
  try {
    return objectFromJsonSchema(schema);
  } catch (error) {
    throw new OutsideToolError(
      `its ${which} cannot be checked: ${error instanceof Error ? error.message.slice(0, 200) : 'not a JSON Schema'}`,
    );
  }
}
