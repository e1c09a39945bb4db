// Makes a contract from what a worker of a tenant announced, so that the pipeline handles it like any other tool.
import type { RetryRule, ToolContract } from '../define-tool.js';
import { withBoundedWork } from '../derive/bounded-work.js';
import { objectFromJsonSchema } from '../derive/from-json-schema.js';
import { servedDomainName, type ServedPlace, type ServedTool } from './served-tool.js';

/** What a tool was announced as breaks a rule. The message names the field and what would be right. */
export class ServedToolError extends Error {
  override readonly name = 'ServedToolError';
}

/** The contract of a served tool. Throws ServedToolError for schemas that cannot be checked, or whose examples do not fit. */
export function servedContract(place: ServedPlace, tool: ServedTool): ToolContract {
  const [input, output] = [schemaOf(tool, 'input'), schemaOf(tool, 'output')];
  const contract: ToolContract = {
    name: tool.name,
    version: tool.version,
    title: tool.title,
    description: tool.description,
    domain: servedDomainName(place),
    served: place,
    effect: tool.effect,
    input,
    output,
    errors: tool.errors,
    timeoutMs: tool.timeout_ms,
    estimatedTokens: tokensOf(tool),
    examples: tool.examples,
    ...(tool.changelog && { changelog: tool.changelog }),
    ...(tool.preview !== undefined && { preview: tool.preview }),
    ...(tool.idempotent !== undefined && { idempotent: tool.idempotent }),
    ...(tool.destructive !== undefined && { destructive: tool.destructive }),
    ...(tool.retry && { retry: retryOf(tool.retry) }),
    ...(tool.cache && {
      cache: {
        ttlSeconds: tool.cache.ttl_seconds,
        ...(tool.cache.scope && { scope: tool.cache.scope }),
        ...(tool.cache.key_params && { keyParams: tool.cache.key_params }),
      },
    }),
    ...(tool.single_flight && {
      singleFlight: {
        windowMs: tool.single_flight.window_ms,
        ...(tool.single_flight.key_params && { keyParams: tool.single_flight.key_params }),
      },
    }),
    ...(tool.approval !== undefined && { approval: tool.approval }),
    ...(tool.connection && { connection: tool.connection }),
    ...(tool.cost && { cost: tool.cost }),
    ...(tool.flow && { flow: tool.flow }),
    ...(tool.per_session !== undefined && { perSession: tool.per_session }),
    ...(tool.revalidates !== undefined && { revalidates: tool.revalidates }),
    ...(tool.streaming !== undefined && { streaming: tool.streaming }),
    ...(tool.secret_life && { secretLife: tool.secret_life }),
    ...(tool.priority !== undefined && { priority: tool.priority }),
    ...(tool.max_input_bytes !== undefined && { maxInputBytes: tool.max_input_bytes }),
    ...(tool.deprecated !== undefined && { deprecated: tool.deprecated }),
    ...(tool.sunset_date !== undefined && { sunsetDate: tool.sunset_date }),
    ...(tool.replacement !== undefined && { replacement: tool.replacement }),
    ...(tool.migration_guide !== undefined && { migrationGuide: tool.migration_guide }),
  };
  return contract;
}

function schemaOf(tool: ServedTool, side: 'input' | 'output'): ToolContract['input'] {
  const schema = tool[side];
  try {
    const object = objectFromJsonSchema(schema);
    // Unknown parameters are dropped unless the schema forbids them, and so are unknown fields of an answer (C-16).
    return withBoundedWork(schema['additionalProperties'] === undefined ? object.strip() : object, schema);
  } catch (error) {
    throw new ServedToolError(`${side} cannot be checked: ${error instanceof Error ? error.message.slice(0, 200) : 'not a JSON Schema'}`);
  }
}

function retryOf(retry: NonNullable<ServedTool['retry']>): NonNullable<ToolContract['retry']> {
  return Object.fromEntries(
    Object.entries(retry).flatMap(([kind, announced]): [string, RetryRule][] => {
      if (!announced) return [];
      const { times, base_ms, factor, jitter, max_ms } = announced;
      const rule = {
        times,
        baseMs: base_ms,
        ...(factor !== undefined && { factor }),
        ...(jitter !== undefined && { jitter }),
        ...(max_ms !== undefined && { maxMs: max_ms }),
      };
      return [[kind, rule]];
    }),
  );
}

function tokensOf({ estimated_tokens: tokens }: ServedTool): ToolContract['estimatedTokens'] {
  if (typeof tokens === 'number') return tokens;
  const { input, output } = tokens;
  return {
    ...(input !== undefined && { input }),
    output: {
      typical: output.typical,
      ...(output.min !== undefined && { min: output.min }),
      ...(output.max !== undefined && { max: output.max }),
    },
  };
}
