import type { ToolContract } from '../define-tool.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { toStrictSchema, type StrictDialect } from './strict-schema.js';

/** Anthropic's client tool (TU-86): MCP's `inputSchema` under another name (TU-87). */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  /** False only for outside tools whose schema strict mode cannot say. */
  readonly strict: boolean;
}

/** Its strict mode takes no bounds; they stand in the descriptions, which the lint sees to. */
const dialect: StrictDialect = {
  keywords: new Set(['pattern', 'minItems']),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  mayKeep: (keyword, value) => (keyword === 'minItems' ? value === 0 || value === 1 : !/\(\?[^:]|\\\d|\\b/i.test(String(value))),
  nullForAbsent: false,
};

export function toAnthropic({ name, description, input }: ToolContract): AnthropicTool {
  const schema = toJsonSchema(input, 'input');
  const strict = toStrictSchema(schema, dialect);
  return { name, description, input_schema: strict ?? schema, strict: strict !== null };
}
