import type { ToolContract } from './define-tool.js';

/** C-31: served · served with a warning, its end announced · refused. */
export type Phase = 'active' | 'sunset-announced' | 'deprecated';

export function phaseOf(contract: ToolContract, now: Date): Phase {
  if (contract.deprecated) return 'deprecated';
  if (!contract.sunsetDate) return 'active';
  return new Date(contract.sunsetDate) <= now ? 'deprecated' : 'sunset-announced';
}

/** What a caller of a tool whose end is announced is told with each answer. */
export function lifecycleWarnings(contract: ToolContract, now: Date): readonly string[] {
  if (phaseOf(contract, now) !== 'sunset-announced') return [];
  return [`${contract.name} ends on ${contract.sunsetDate}${contract.replacement ? `; use ${contract.replacement}` : ''}`];
}
