// Retry rules → what the queue needs, what a caller is told, and how long a caller waits.
import type { RetryRule, RetryableKind, ToolContract } from '../define-tool.js';

const kinds = ['network', 'timeout', 'rate-limit', 'service'] as const satisfies readonly RetryableKind[];
/** How long an invocation may wait for a free worker, or for a dead worker's job to be given to another, inside its deadline. */
const queueAllowanceMs = 30_000;

export type FullRetryRule = Required<RetryRule>;
export type RetryPolicy = Readonly<
  Record<
    'network' | 'timeout' | 'rate_limit' | 'service',
    { readonly max_retries: number; readonly base_delay_ms: number; readonly factor: number }
  >
>;

/** The rule for a kind of failure with its defaults filled in; null when that kind is never retried. */
export function retryRule(contract: ToolContract, kind: RetryableKind): FullRetryRule | null {
  const rule = contract.retry?.[kind];
  return rule && rule.times > 0 ? { factor: 2, jitter: 0.25, maxMs: 60_000, ...rule } : null;
}

/**
 * Delay before retry number `retry` (from 1) in ms. A hint of the other side is a floor, never undercut by jitter.
 * @param random 0 ≤ random < 1
 */
export function backoffMs(
  rule: FullRetryRule,
  retry: number,
  { hintMs, random }: { readonly hintMs?: number | undefined; readonly random: number },
): number {
  const nominal = Math.min(rule.maxMs, rule.baseMs * rule.factor ** (retry - 1));
  const jittered = Math.round(nominal * (1 + rule.jitter * (2 * random - 1)));
  return Math.max(jittered, Math.ceil(hintMs ?? 0));
}

/** Attempts over all budgets together: each kind has a budget of its own and they may be spent one after the other. */
export function maxAttempts(contract: ToolContract): number {
  return 1 + kinds.reduce((sum, kind) => sum + (retryRule(contract, kind)?.times ?? 0), 0);
}

/** The longest that a waiting caller waits: every attempt at its timeout, every backoff at its longest, and the queue. */
export function wholeDeadlineMs(contract: ToolContract): number {
  const backoff = kinds.reduce((sum, kind) => {
    const rule = retryRule(contract, kind);
    return (
      sum + (rule ? Array.from({ length: rule.times }, (_, n) => backoffMs(rule, n + 1, { random: 1 })).reduce((a, b) => a + b, 0) : 0)
    );
  }, 0);
  return maxAttempts(contract) * contract.timeoutMs + backoff + queueAllowanceMs;
}

export function retryPolicy(contract: ToolContract): RetryPolicy {
  const told = (kind: RetryableKind) => {
    const rule = retryRule(contract, kind);
    return { max_retries: rule?.times ?? 0, base_delay_ms: rule?.baseMs ?? 0, factor: rule?.factor ?? 1 };
  };
  return { network: told('network'), timeout: told('timeout'), rate_limit: told('rate-limit'), service: told('service') };
}
