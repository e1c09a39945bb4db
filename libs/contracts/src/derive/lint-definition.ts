// Rules for definitions, so that a model can choose a tool and fill in its parameters (TU-12, TU-13, TU-14).
import type { ToolDefinition } from './definition.js';
import type { JsonSchema } from './json-schema.js';

/** A broken rule. The message names the place and what would be right. */
export interface DefinitionFault {
  readonly rule: 'name' | 'purpose' | 'parameter' | 'range' | 'limits' | 'single-responsibility' | 'reserved';
  readonly message: string;
}

/** Names that every platform accepts (TU-12). */
export const toolNameShape = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const reservedName = /^_|^debug$/;
/** Names of parameters that choose between operations. Each operation should be a tool of its own. */
const switchName = /^(action|operation|command|method)$/;
const maxDescription = 1_024;

/** The rules that a definition breaks; empty when it is sound. */
export function lintDefinition({
  name,
  description,
  parameters,
}: Pick<ToolDefinition, 'name' | 'description' | 'parameters'>): DefinitionFault[] {
  return [
    ...when(!toolNameShape.test(name), 'name', `the name '${name}' must match ${toolNameShape.source}`),
    ...when(/^(do|handle|process|run|execute)(_?stuff|_?it)?$/.test(name), 'name', `the name '${name}' says nothing of what the tool does`),
    ...when(!/^\S.{19,}/s.test(description), 'purpose', 'the description must be a sentence on the purpose, of at least 20 characters'),
    ...when(!/[.!?。]/.test(description), 'purpose', 'the description must be a whole sentence'),
    ...when(description.length > maxDescription, 'limits', `the description must have at most ${maxDescription} characters`),
    ...Object.entries(parameters.properties ?? {}).flatMap(([key, schema]) => lintParameter(key, schema)),
  ];
}

function lintParameter(name: string, schema: JsonSchema): DefinitionFault[] {
  const described = schema.description ?? '';
  const shown = (bound: number | undefined) => bound === undefined || digits(described).includes(String(bound));
  return [
    ...when(reservedName.test(name), 'reserved', `the parameter '${name}' has a name that is reserved`),
    ...when(switchName.test(name), 'single-responsibility', `the parameter '${name}' chooses between tools; make a tool of each`),
    ...when(described.trim().length < 2, 'parameter', `the parameter '${name}' needs a description`),
    ...when(
      !shown(schema.minimum) || !shown(schema.maximum),
      'range',
      `the description of '${name}' must name its range, ${schema.minimum ?? ''}–${schema.maximum ?? ''}`,
    ),
  ];
}

/** The numbers in a text, without thousands separators. Each is listed with a minus too, since a dash may be a sign or a range. */
function digits(text: string): readonly string[] {
  const numbers = [...text.replaceAll(/(\d)[, ](?=\d{3})/g, '$1').matchAll(/\d+(\.\d+)?/g)].map(([number]) => number);
  return numbers.flatMap((number) => [number, `-${number}`]);
}

function when(broken: boolean, rule: DefinitionFault['rule'], message: string): DefinitionFault[] {
  return broken ? [{ rule, message }] : [];
}
