import type { ToolContract } from '../define-tool.js';
import { addressHere } from '../outside/addresses.js';
import type { ToolApp } from '../outside/apps.js';
import { briefEnvelopeSchema } from './envelope-schema.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';

/** A tool of the Model Context Protocol (TU-88). */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  /** Describes `structuredContent`: the unified envelope (C-79), or the data alone. Absent for data that is no object. */
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  readonly _meta: {
    readonly 'invoq/version': string;
    readonly 'invoq/domain': string;
    /** The page of the tool (MCP Apps), at its address here. */
    readonly ui?: ToolApp;
    /** The same for clients that know the older name. */
    readonly 'ui/resourceUri'?: string;
  };
}

/** The tool in the format of the Model Context Protocol, with the envelope as its result. */
export function toMcp(contract: ToolContract): McpTool {
  return { ...withoutResult(contract), outputSchema: briefEnvelopeSchema(answerOf(contract)) };
}

/** The same with the data alone as its result: about half as many tokens. */
export function toMcpData(contract: ToolContract): McpTool {
  const data = answerOf(contract);
  return { ...withoutResult(contract), ...(data['type'] === 'object' && { outputSchema: { ...data, type: 'object' } }) };
}

/**
 * What a client holds an answer against. Clients throw away what does not fit, so the schema of an outside server, which may answer what it
 * never declared, allows any object beside what it declares.
 */
function answerOf({ upstream, output }: ToolContract): JsonSchema {
  const schema = toJsonSchema(output, 'output');
  if (!upstream) return schema;
  const { $defs, ...declared } = schema;
  return { type: 'object', anyOf: [declared, {}], ...($defs !== undefined && { $defs }) };
}

function withoutResult(contract: ToolContract): McpTool {
  const { name, title, description, version, domain } = contract;
  const writes = contract.effect === 'write';
  return {
    name,
    title,
    description,
    inputSchema: { ...toJsonSchema(contract.input, 'input'), type: 'object' },
    annotations: {
      title,
      readOnlyHint: !writes,
      destructiveHint: writes && (contract.destructive ?? true),
      idempotentHint: contract.idempotent ?? true,
    },
    _meta: { 'invoq/version': version, 'invoq/domain': domain, ...pageOf(contract) },
  };
}

function pageOf({ upstream }: ToolContract) {
  if (!upstream?.app) return {};
  const resourceUri = addressHere(upstream.server, upstream.app.resourceUri);
  return { ui: { ...upstream.app, resourceUri }, 'ui/resourceUri': resourceUri };
}
