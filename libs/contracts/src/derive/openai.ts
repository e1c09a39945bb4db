import type { ToolContract } from '../define-tool.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { briefDescription, isPlain, isWithinStrictLimits, plainParameters, withItems } from './provider-limits.js';
import { toStrictSchema, type StrictDialect } from './strict-schema.js';

/** A function tool in OpenAI's format (TU-84). */
export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    /** False only for outside tools whose schema cannot be expressed in strict mode. */
    readonly strict: boolean;
  };
}

/** What Structured Outputs accept. The provider refuses any other keyword, so others are dropped. */
const dialect: StrictDialect = {
  keywords: new Set(['pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems']),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  // Its regular expressions have no look-around.
  mayKeep: (keyword, value) => keyword !== 'pattern' || !/\(\?[^:]/.test(String(value)),
  nullForAbsent: true,
};

/**
 * The tool in OpenAI's format. In strict mode all properties are required, so optional ones may be null instead (C-16);
 * `validateInput` reads such a null as absent.
 */
export function toOpenAi(contract: ToolContract): OpenAiTool {
  const whole = toJsonSchema(contract.input, 'input');
  const schema = plainParameters(whole);
  const form = isPlain(whole) ? toStrictSchema(schema, dialect) : null;
  const strict = form && isWithinStrictLimits(form) ? form : null;
  const { name } = contract;
  const description = briefDescription(contract.description);
  return { type: 'function', function: { name, description, parameters: strict ?? withItems(schema), strict: strict !== null } };
}
