import { z } from 'zod';
import type { ToolContract } from '../define-tool.js';
import { toMarkedJsonSchema } from '../derive/json-schema.js';
import { retryRule } from '../derive/job-options.js';
import { unrepresentableIn } from '../derive/unrepresentable.js';
import { failureKinds } from '../errors.js';
import { servedTool, type ServedTool } from './served-tool.js';

/**
 * A contract as a worker announces it. Throws ZodError, with all faults at once, for one that a tenant's worker cannot serve: with a field that
 * has no form in JSON, or with scopes, a subject, aliases or native forms, which are the product's own.
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
  const issues: z.core.$ZodIssue[] = [];
  /** A side that has a fault is left empty, so that the rest is looked at too. */
  const schemaOf = (side: 'input' | 'output'): object => {
    try {
      return toMarkedJsonSchema(contract[side], side);
    } catch (error) {
      const fields = unrepresentableIn(contract[side], side);
      const faults = fields.length > 0 ? fields : [{ path: '', message: error instanceof Error ? error.message : String(error) }];
      for (const { path, message } of faults)
        issues.push({ code: 'custom', path: path === '' ? [side] : [side, path], message, input: undefined });
      return {};
    }
  };
  const served = servedTool.safeParse(
    withoutUndefined({
      name: contract.name,
      version: contract.version,
      title: contract.title,
      description: contract.description,
      changelog: contract.changelog,
      preview: contract.preview,
      input: schemaOf('input'),
      output: schemaOf('output'),
      errors: contract.errors,
      effect: contract.effect,
      idempotent: contract.idempotent,
      destructive: contract.destructive,
      timeout_ms: contract.timeoutMs,
      retry: Object.keys(retry).length > 0 ? retry : undefined,
      cache: cache && withoutUndefined({ ttl_seconds: cache.ttlSeconds, scope: cache.scope, key_params: cache.keyParams }),
      single_flight: singleFlight && withoutUndefined({ window_ms: singleFlight.windowMs, key_params: singleFlight.keyParams }),
      approval: contract.approval,
      connection: contract.connection,
      cost: contract.cost,
      flow: contract.flow,
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
  issues.push(...(served.error?.issues ?? []));
  if (!served.success || issues.length > 0) throw new z.ZodError(issues);
  return served.data;
}

function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
