// What providers of models say of a list of tools in their own documents. One tool that breaks a rule costs the whole request.
import { z } from 'zod';

const schema = z.record(z.string(), z.unknown());
type Schema = z.output<typeof schema>;

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly strict: boolean;
}

interface Rules {
  readonly name: RegExp;
  readonly maxDescription: number;
  /** Keywords that strict mode takes. */
  readonly strictKeywords: RegExp;
  readonly requiresAll: boolean;
}

const openai: Rules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  maxDescription: 1_024,
  strictKeywords:
    /^(type|properties|required|additionalProperties|description|title|enum|const|anyOf|items|\$ref|\$defs|pattern|format|minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minItems|maxItems)$/,
  requiresAll: true,
};
const anthropic: Rules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  maxDescription: Number.POSITIVE_INFINITY,
  strictKeywords:
    /^(type|properties|required|additionalProperties|description|title|enum|const|anyOf|allOf|items|\$ref|\$defs|pattern|format|minItems|default)$/,
  requiresAll: false,
};

export const rulesOf = { openai, anthropic } as const;
const topRefused = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if'];
const anthropicName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** What of the tool breaks a rule of the provider; nothing when it keeps them all. */
export function faultsOf(tool: ListedTool, provider: keyof typeof rulesOf): readonly string[] {
  const rules = rulesOf[provider];
  const top = schema.safeParse(tool.parameters).data ?? {};
  const faults = [
    ...(rules.name.test(tool.name) ? [] : ['its name is not taken']),
    ...(Array.from(tool.description).length <= rules.maxDescription
      ? []
      : [`its description has more than ${rules.maxDescription} characters`]),
    ...(top['type'] === 'object' ? [] : ['its parameters are no object']),
    ...topRefused.filter((keyword) => keyword in top).map((keyword) => `${keyword} at the top`),
  ];
  walk(top, (part) => {
    if (typeof part['$ref'] === 'string' && !leads(top, part['$ref'])) faults.push(`${part['$ref']} leads nowhere`);
    if (provider === 'openai' && part['type'] === 'array' && part['items'] === undefined) faults.push('a list without items');
    const names = Object.keys(propertiesOf(part));
    if (provider === 'anthropic') faults.push(...names.filter((name) => !anthropicName.test(name)).map((name) => `a parameter ${name}`));
    if (!tool.strict) return;
    faults.push(
      ...Object.keys(part)
        .filter((keyword) => !rules.strictKeywords.test(keyword))
        .map((keyword) => `${keyword} in strict mode`),
    );
    if (part['type'] !== 'object') return;
    if (part['additionalProperties'] !== false) faults.push('an open object in strict mode');
    const required: unknown[] = Array.isArray(part['required']) ? part['required'] : [];
    if (rules.requiresAll)
      faults.push(...names.filter((name) => !required.includes(name)).map((name) => `${name} is optional in strict mode`));
  });
  return faults;
}

/** Every schema within, itself first. What stands under `properties` and `$defs` is schemas by name. */
function walk(part: Schema, look: (part: Schema) => void): void {
  look(part);
  for (const [keyword, value] of Object.entries(part)) {
    if (['enum', 'const', 'default', 'examples', 'required'].includes(keyword)) continue;
    const byName = ['properties', '$defs', 'patternProperties', 'definitions'].includes(keyword);
    const inner = byName ? Object.values(schema.safeParse(value).data ?? {}) : [value].flat();
    for (const one of inner) {
      const parsed = typeof one === 'object' && one !== null && !Array.isArray(one) ? schema.safeParse(one).data : undefined;
      if (parsed) walk(parsed, look);
    }
  }
}

function propertiesOf(part: Schema): Schema {
  return schema.safeParse(part['properties']).data ?? {};
}

function leads(top: Schema, ref: string): boolean {
  if (!ref.startsWith('#')) return false;
  let place: unknown = top;
  for (const step of ref.split('/').slice(1))
    place = schema.safeParse(place).data?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
  return place !== undefined;
}
