import type { ToolContract } from '../define-tool.js';
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
  readonly _meta: { readonly 'invoq/version': string; readonly 'invoq/domain': string };
}

/** The tool in the format of the Model Context Protocol, with the envelope as its result. */
export function toMcp(contract: ToolContract): McpTool {
  return { ...withoutResult(contract), outputSchema: briefEnvelopeSchema(toJsonSchema(contract.output, 'output')) };
}

/** The same with the data alone as its result: about half as many tokens. */
export function toMcpData(contract: ToolContract): McpTool {
  const data = toJsonSchema(contract.output, 'output');
  return { ...withoutResult(contract), ...(data['type'] === 'object' && { outputSchema: { ...data, type: 'object' } }) };
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
    _meta: { 'invoq/version': version, 'invoq/domain': domain },
  };
}
