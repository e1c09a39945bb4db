import type { ToolContract } from '../define-tool.js';
import { toMarkedJsonSchema } from '../derive/json-schema.js';
import { retryRule } from '../derive/job-options.js';
import { failureKinds } from '../errors.js';
import { servedTool, type ServedTool } from './served-tool.js';

/**
 * A contract as a worker announces it. Throws ZodError for one that a tenant's worker cannot serve: with scopes, a subject, aliases or
 * native forms, which are the product's own.
 */
export function toServedTool(contract: ToolContract): ServedTool {
  const { cache, singleFlight } = contract;
  const retry = Object.fromEntries(
    failureKinds.flatMap((kind) => {
      const rule = kind === 'internal' ? null : retryRule(contract, kind);
      if (!rule) return [];
      const { times, baseMs, factor, jitter, maxMs } = rule;
      return [[kind, { times, base_ms: baseMs, factor, jitter, max_ms: maxMs }]];
    }),
  );
  return servedTool.parse(
    withoutUndefined({
      name: contract.name,
      version: contract.version,
      title: contract.title,
      description: contract.description,
      changelog: contract.changelog,
      preview: contract.preview,
      input: toMarkedJsonSchema(contract.input, 'input'),
      output: toMarkedJsonSchema(contract.output, 'output'),
      errors: contract.errors,
      effect: contract.effect,
      idempotent: contract.idempotent,
      destructive: contract.destructive,
      timeout_ms: contract.timeoutMs,
      retry: Object.keys(retry).length > 0 ? retry : undefined,
      cache: cache && withoutUndefined({ ttl_seconds: cache.ttlSeconds, scope: cache.scope, key_params: cache.keyParams }),
      single_flight: singleFlight && withoutUndefined({ window_ms: singleFlight.windowMs, key_params: singleFlight.keyParams }),
      per_session: contract.perSession,
      revalidates: contract.revalidates,
      streaming: contract.streaming,
      secret_life: contract.secretLife,
      priority: contract.priority,
      max_input_bytes: contract.maxInputBytes,
      estimated_tokens: contract.estimatedTokens,
      deprecated: contract.deprecated,
      sunset_date: contract.sunsetDate,
      replacement: contract.replacement,
      migration_guide: contract.migrationGuide,
      examples: contract.examples,
      // What only our own tools have: named here so that it is refused and not lost.
      scopes: contract.scopes,
      subject: contract.subject,
      aliases: contract.aliases,
      source: contract.source,
    }),
  );
}

function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
