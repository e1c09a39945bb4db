// What follows from a contract's retry rules: delays, the number of attempts, the policy in the definition, and the deadline.
import type { RetryRule, RetryableKind, ToolContract } from '../define-tool.js';
import { memoized } from '../memoized.js';

const kinds = ['network', 'timeout', 'rate-limit', 'service'] as const satisfies readonly RetryableKind[];
/** The part of a deadline that is reserved for waiting: for a free worker, or for another worker after the first one died. */
const queueAllowanceMs = 30_000;

export type FullRetryRule = Required<Omit<RetryRule, 'baseIsSetting'>>;
export type RetryPolicy = Readonly<
  Record<
    'network' | 'timeout' | 'rate_limit' | 'service',
    { readonly max_retries: number; readonly base_delay_ms: number; readonly factor: number }
  >
>;

/** The retry rule of a kind of failure, with defaults filled in. Null when that kind is never retried. */
export function retryRule(contract: ToolContract, kind: RetryableKind): FullRetryRule | null {
  const rule = contract.retry?.[kind];
  return rule && rule.times > 0 ? { factor: 2, jitter: 0.25, maxMs: 60_000, ...rule } : null;
}

/**
 * The delay before retry number `retry` (from 1), in whole ms. It is never shorter than `hintMs`, the time that the upstream asked for.
 * @param random from 0 (inclusive) to 1 (exclusive); chooses a place within the jitter
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

/** The maximum number of attempts. Each kind of failure has its own budget of retries, and all of them may be used in one call. */
export function maxAttempts(contract: ToolContract): number {
  return boundsOf(contract).attempts;
}

/** The longest time that a caller waits, in ms: every attempt until its timeout, every delay at its longest, and the queue. */
export function wholeDeadlineMs(contract: ToolContract): number {
  return boundsOf(contract).deadlineMs;
}

interface Bounds {
  readonly attempts: number;
  readonly deadlineMs: number;
}

const bounds = new WeakMap<ToolContract, Bounds>();

/** Every call asks for both. */
function boundsOf(contract: ToolContract): Bounds {
  return memoized(bounds, contract, () => {
    const rules = kinds.flatMap((kind) => retryRule(contract, kind) ?? []);
    const delays = rules.flatMap((rule) => Array.from({ length: rule.times }, (_, n) => backoffMs(rule, n + 1, { random: 1 })));
    const attempts = 1 + delays.length;
    return { attempts, deadlineMs: attempts * contract.timeoutMs + delays.reduce((sum, ms) => sum + ms, queueAllowanceMs) };
  });
}

/** The retry rules as a definition shows them. A kind that is not retried has 0 retries. */
export function retryPolicy(contract: ToolContract): RetryPolicy {
  const told = (kind: RetryableKind) => {
    const rule = retryRule(contract, kind);
    return { max_retries: rule?.times ?? 0, base_delay_ms: rule?.baseMs ?? 0, factor: rule?.factor ?? 1 };
  };
  return { network: told('network'), timeout: told('timeout'), rate_limit: told('rate-limit'), service: told('service') };
}
