// What a definition must say of itself, so that a model can choose the tool and fill it in (TU-12, TU-13, TU-14).
import type { ToolDefinition } from './definition.js';
import type { JsonSchema } from './json-schema.js';

/** A rule that a definition breaks, in words that name the place and the remedy. */
export interface DefinitionFault {
  readonly rule: 'name' | 'purpose' | 'parameter' | 'range' | 'limits' | 'single-responsibility' | 'reserved';
  readonly message: string;
}

/** Names that every platform takes (TU-12). */
export const toolNameShape = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const reservedName = /^_|^debug$/;
/** A parameter that chooses between tools makes several of one. */
const switchName = /^(action|operation|command|method)$/;
const maxDescription = 1_024;

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

/** Numbers in a text, with the separators of thousands taken out; a dash before one may be a sign or a range. */
function digits(text: string): readonly string[] {
  const numbers = [...text.replaceAll(/(\d)[, ](?=\d{3})/g, '$1').matchAll(/\d+(\.\d+)?/g)].map(([number]) => number);
  return numbers.flatMap((number) => [number, `-${number}`]);
}

function when(broken: boolean, rule: DefinitionFault['rule'], message: string): DefinitionFault[] {
  return broken ? [{ rule, message }] : [];
}
