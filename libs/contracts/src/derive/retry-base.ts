// An installation chooses how long tools that ask services of others wait before their first retry. Gateway and workers must agree on it.
import type { RetryRule, ToolContract } from '../define-tool.js';

/** The contract with this delay before the first retry, in ms, in every rule that leaves it to the setting. */
export function withRetryBase(contract: ToolContract, baseMs: number): ToolContract {
  const { retry } = contract;
  if (!retry) return contract;
  const moved = (rule: RetryRule): RetryRule => (rule.baseIsSetting ? { ...rule, baseMs } : rule);
  return { ...contract, retry: Object.fromEntries(Object.entries(retry).map(([kind, rule]) => [kind, moved(rule)])) };
}
