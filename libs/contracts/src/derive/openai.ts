import type { ToolContract } from '../define-tool.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { toStrictSchema, type StrictDialect } from './strict-schema.js';

/** OpenAI's function tool (TU-84). */
export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    /** False only for outside tools whose schema strict mode cannot say. */
    readonly strict: boolean;
  };
}

/** Structured Outputs: what is not named here is refused by the provider, so it is dropped. */
const dialect: StrictDialect = {
  keywords: new Set(['pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems']),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  // Look-around is not in its regular expressions.
  mayKeep: (keyword, value) => keyword !== 'pattern' || !/\(\?[^:]/.test(String(value)),
  nullForAbsent: true,
};

/**
 * The tool for OpenAI's strict mode: all properties are required and optional ones may be null (C-16). A null that a
 * model sends for one of those counts as absent, see `validateInput`.
 */
export function toOpenAi(contract: ToolContract): OpenAiTool {
  const schema = toJsonSchema(contract.input, 'input');
  const strict = toStrictSchema(schema, dialect);
  const { name, description } = contract;
  return { type: 'function', function: { name, description, parameters: strict ?? schema, strict: strict !== null } };
}
