import type { ToolContract } from '../define-tool.js';
import { briefEnvelopeSchema } from './envelope-schema.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';

/** A tool of the Model Context Protocol (TU-88). */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  /** Describes `structuredContent`, which is the unified envelope (C-79). */
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  readonly _meta: { readonly 'invoq/version': string; readonly 'invoq/domain': string };
}

/** The tool in the format of the Model Context Protocol. */
export function toMcp(contract: ToolContract): McpTool {
  const { name, title, description, version, domain } = contract;
  const writes = contract.effect === 'write';
  return {
    name,
    title,
    description,
    inputSchema: { ...toJsonSchema(contract.input, 'input'), type: 'object' },
    outputSchema: briefEnvelopeSchema(toJsonSchema(contract.output, 'output')),
    annotations: {
      title,
      readOnlyHint: !writes,
      destructiveHint: writes && (contract.destructive ?? true),
      idempotentHint: contract.idempotent ?? true,
    },
    _meta: { 'invoq/version': version, 'invoq/domain': domain },
  };
}
