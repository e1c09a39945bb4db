import type { ToolContract, ToolInput } from './define-tool.js';
import { withoutOptionalNulls } from './derive/optional-nulls.js';
import { toJsonSchema } from './derive/json-schema.js';
import { Refusal } from './errors.js';
import { describeFaults, parseParameters } from './parameter-faults.js';
import { normalizePropertyNames } from './property-names.js';

/** The parsed parameters of a tool. Throws a Refusal INVALID_PARAMS with a detail for each fault that is told. */
export function validateInput<Contract extends ToolContract>(contract: Contract, input: unknown): ToolInput<Contract>;
export function validateInput(contract: ToolContract, input: unknown): unknown {
  const schema = toJsonSchema(contract.input, 'input');
  const given = contract.anyCase ? normalizePropertyNames(schema, input) : input;
  const parsed = parseParameters(contract.input, withoutOptionalNulls(schema, given), given);
  if (parsed.success) return parsed.data;
  const { message, details } = describeFaults(parsed.faults);
  const native = contract.nativeCodes?.INVALID_PARAMS;
  throw new Refusal('INVALID_PARAMS', message, { details, native_code: typeof native === 'function' ? native(parsed.faults) : native });
}
