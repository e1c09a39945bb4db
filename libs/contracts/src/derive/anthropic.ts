import type { ToolContract } from '../define-tool.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { isPlain, plainParameters, withLegalNames } from './provider-limits.js';
import { toStrictSchema, type StrictDialect } from './strict-schema.js';

/** A client tool in Anthropic's format (TU-86). `input_schema` is what MCP calls `inputSchema` (TU-87). */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  /** False only for outside tools whose schema cannot be expressed in strict mode. */
  readonly strict: boolean;
}

/** Anthropic's strict mode has no bounds such as `minimum`. The lint makes sure that descriptions name them. */
const dialect: StrictDialect = {
  keywords: new Set(['pattern', 'minItems']),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  mayKeep: (keyword, value) => (keyword === 'minItems' ? value === 0 || value === 1 : !/\(\?[^:]|\\\d|\\b/i.test(String(value))),
  nullForAbsent: false,
};

/** The tool in Anthropic's format, in strict mode where its schema can be expressed so. */
export function toAnthropic({ name, description, input }: ToolContract): AnthropicTool {
  const whole = toJsonSchema(input, 'input');
  const { schema, left } = withLegalNames(plainParameters(whole));
  // Strict mode forbids what is not named.
  const strict = left.length === 0 && isPlain(whole) ? toStrictSchema(schema, dialect) : null;
  const more = left.length > 0 ? ` It also takes ${left.map((one) => JSON.stringify(one)).join(', ')}.` : '';
  return { name, description: description + more, input_schema: strict ?? schema, strict: strict !== null };
}
