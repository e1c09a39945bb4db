// What must hold for a served tool beside the form of its contract: what a test demands of each of our own.
import { toDefinition } from '../derive/definition.js';
import { maxAttempts, wholeDeadlineMs } from '../derive/job-options.js';
import { lintDefinition } from '../derive/lint-definition.js';
import { markedPaths } from '../derive/redaction.js';
import type { ToolContract } from '../define-tool.js';
import { ownProperties } from '../own-properties.js';
import { servedLimits } from './served-tool.js';

const longestDeadlineMs = 30 * 60_000;
/** Rules of style, which a model feels and no program does. */
const styleRules: readonly string[] = ['purpose', 'parameter', 'range', 'single-responsibility'];

export interface ServedFaults {
  /** Why it is not served. Each names the field and what would be right. */
  readonly errors: readonly string[];
  /** What makes it hard to use for a model. */
  readonly warnings: readonly string[];
}

/** The fault of a contract's size, before anything is made of it; null if it has none. @param tool as it was received */
export function servedSizeFault(tool: unknown): string | null {
  const { bytes, depth, values } = servedLimits;
  if (new TextEncoder().encode(JSON.stringify(tool)).length > bytes) return `a contract must have at most ${bytes} bytes as JSON`;
  let count = 0;
  for (let level = [tool], at = 0; level.length > 0; at++) {
    if (at > depth) return `a contract must nest at most ${depth} levels deep`;
    count += level.length;
    if (count > values) return `a contract must hold at most ${values} values`;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return null;
}

export function servedFaults(contract: ToolContract): ServedFaults {
  const definition = toDefinition(contract);
  const { properties = {} } = definition.parameters;
  const style = lintDefinition(definition);
  const secrets = markedPaths(contract.output, 'output', ['secret']);
  const missing = (names: readonly string[] = []) => names.filter((name) => !Object.hasOwn(properties, name));
  const errors = [
    ...style.filter(({ rule }) => !styleRules.includes(rule)).map(({ message }) => message),
    ...exampleFaults(contract),
    ...when(markedPaths(contract.input, 'input', ['secret']).length > 0, 'input must have no field marked secret; mark it sensitive'),
    ...when(secrets.length > 0 && contract.cache !== undefined, 'cache must be absent where output has a field marked secret'),
    ...when(contract.cache !== undefined && contract.effect === 'write', 'cache must be absent where effect is write'),
    ...when(contract.cache !== undefined && contract.idempotent === false, 'cache must be absent where idempotent is false'),
    ...when(contract.secretLife !== undefined && secrets.length === 0, 'secret_life needs a field of output that is marked secret'),
    ...missing(contract.cache?.keyParams).map((name) => `cache.key_params names '${name}', which input does not have`),
    ...missing(contract.singleFlight?.keyParams).map((name) => `single_flight.key_params names '${name}', which input does not have`),
    ...when(
      wholeDeadlineMs(contract) > longestDeadlineMs,
      `timeout_ms and retry let a call last ${wholeDeadlineMs(contract)} ms with its ${maxAttempts(contract)} attempts; the most is ${longestDeadlineMs}`,
    ),
  ];
  return { errors, warnings: style.filter(({ rule }) => styleRules.includes(rule)).map(({ message }) => message) };
}

function exampleFaults({ examples, input, output }: ToolContract): string[] {
  return examples.flatMap((example, index) =>
    [
      { side: 'input', parsed: input.safeParse(ownProperties(input, example.input)) },
      { side: 'output', parsed: output.safeParse(ownProperties(output, example.output)) },
    ].flatMap(({ side, parsed }) =>
      parsed.success
        ? []
        : parsed.error.issues
            .slice(0, 3)
            .map(({ path, message }) => `examples.${index}.${side} does not fit ${side}: ${[...path, message].join(': ')}`),
    ),
  );
}

function when(isBroken: boolean, message: string): string[] {
  return isBroken ? [message] : [];
}
