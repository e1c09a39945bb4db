import type { EstimatedTokens, ToolContract } from '../define-tool.js';
import type { Language } from '../language.js';
import { scopesOf, type Scope } from '../scopes.js';
import { toJsonSchema, type JsonSchema } from './json-schema.js';
import { maxAttempts, retryPolicy, wholeDeadlineMs, type RetryPolicy } from './job-options.js';

/** A tool definition in the format of the Tool Use document (TU-02…12, TU-78, TU-80, TU-124), with some fields of our own. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly output_schema: JsonSchema;
  readonly strict: true;
  readonly version: string;
  readonly changelog?: Readonly<Record<string, string>>;
  readonly domain: string;
  readonly aliases: readonly string[];
  readonly read_only: boolean;
  /** Of a tool whose calls may rest until a person approves them. */
  /** All that a caller needs. A contract may ask for more where the parameters name somebody else. */
  readonly scopes: readonly Scope[];
  readonly may_need_approval?: true;
  readonly idempotent: boolean;
  readonly streaming: boolean;
  readonly cacheable: boolean;
  readonly cache_ttl?: number;
  readonly cache_key_params?: readonly string[];
  readonly estimated_tokens: EstimatedTokens;
  readonly deprecated: boolean;
  readonly sunset_date?: string;
  readonly replacement?: string;
  readonly migration_guide?: string;
  readonly errors: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
  /** How long a waiting caller waits at most, in ms: all attempts, their backoff and an allowance for the queue. */
  readonly deadline_ms: number;
  readonly max_attempts: number;
  readonly retry_policy: RetryPolicy;
  readonly examples: readonly { readonly input: unknown; readonly output: unknown }[];
}

/** The definition of a tool in the native format. Optional fields are present only when the contract has them. @param language of its words for people */
export function toDefinition(contract: ToolContract, language: Language = 'en'): ToolDefinition {
  const { title, description } = (language === 'zh' && contract.zh) || contract;
  return {
    name: contract.name,
    title,
    description,
    // Present also when nothing is required, because clients of the source document read the field.
    parameters: { required: [], ...toJsonSchema(contract.input, 'input') },
    output_schema: toJsonSchema(contract.output, 'output'),
    strict: true,
    version: contract.version,
    ...(contract.changelog && { changelog: contract.changelog }),
    domain: contract.served?.domain ?? contract.domain,
    aliases: contract.aliases ?? [],
    read_only: contract.effect === 'read',
    scopes: scopesOf(contract),
    ...(contract.approval !== undefined && { may_need_approval: true }),
    idempotent: contract.idempotent ?? true,
    streaming: contract.streaming ?? false,
    cacheable: contract.cache !== undefined,
    ...(contract.cache && { cache_ttl: contract.cache.ttlSeconds }),
    ...(contract.cache?.keyParams && { cache_key_params: contract.cache.keyParams }),
    estimated_tokens: contract.estimatedTokens,
    deprecated: contract.deprecated ?? false,
    ...(contract.sunsetDate && { sunset_date: contract.sunsetDate }),
    ...(contract.replacement && { replacement: contract.replacement }),
    ...(contract.migrationGuide && { migration_guide: contract.migrationGuide }),
    errors: contract.errors,
    timeout_ms: contract.timeoutMs,
    deadline_ms: wholeDeadlineMs(contract),
    max_attempts: maxAttempts(contract),
    retry_policy: retryPolicy(contract),
    examples: contract.examples,
  };
}
