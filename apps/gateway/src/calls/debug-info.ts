import { promisedTokens, tokensOf, type ToolContract } from '#lib/contracts';
import type { Answer } from './answer.js';
import type { GatewaySettings } from '../config.js';

/** What helps a developer and nobody else (TU-67, C-84); never in production. */
export function debugInfo({ facts, outcome }: Answer, contract: ToolContract | undefined): Readonly<Record<string, unknown>> {
  return {
    ...(outcome.ok && contract && { tokens: { estimated: promisedTokens(contract).typical, measured: tokensOf(outcome.data) } }),
    ...outcome.explained,
    cache_hit: facts.cache?.hit ?? false,
    retry_count: Math.max(0, (facts.attempts ?? 1) - 1),
    execution_time_ms: facts.executionMs ?? 0,
    query_duration_ms: facts.performance?.network_ms ?? 0,
  };
}

/** The option `debug` works outside of production alone. */
export function showsDebug({ NODE_ENV }: Pick<GatewaySettings, 'NODE_ENV'>): boolean {
  return NODE_ENV !== 'production';
}
