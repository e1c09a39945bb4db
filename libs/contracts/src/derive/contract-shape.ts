import type { ToolContract } from '../define-tool.js';
import type { ContractShape } from './compatibility.js';
import { toDefinition } from './definition.js';
import type { JsonSchema } from './json-schema.js';

/** What callers of a contract rely on. */
export function shapeOf(contract: ToolContract): ContractShape {
  const { name, version, parameters, output_schema, errors } = toDefinition(contract);
  return { name, version, parameters: withoutDescriptions(parameters), output_schema: withoutDescriptions(output_schema), errors };
}

/** Descriptions may be improved without a new version. */
function withoutDescriptions(schema: JsonSchema): JsonSchema {
  const plain: JsonSchema = JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'description' && typeof value === 'string' ? undefined : value)),
  );
  return plain;
}
