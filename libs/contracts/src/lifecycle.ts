import type { ToolContract } from './define-tool.js';

/** The phases of a tool (C-31): served · served with a warning, because its end is announced · refused. */
export type Phase = 'active' | 'sunset-announced' | 'deprecated';

/** The phase of a tool at a time. A tool is deprecated from the first instant of its `sunsetDate`, in UTC unless the date has a zone. */
export function phaseOf(contract: ToolContract, now: Date): Phase {
  if (contract.deprecated) return 'deprecated';
  if (!contract.sunsetDate) return 'active';
  return new Date(contract.sunsetDate) <= now ? 'deprecated' : 'sunset-announced';
}

/** The warning in each answer of a tool whose end is announced; empty in the other phases. */
export function lifecycleWarnings(contract: ToolContract, now: Date): readonly string[] {
  if (phaseOf(contract, now) !== 'sunset-announced') return [];
  return [`${contract.name} ends on ${contract.sunsetDate}${contract.replacement ? `; use ${contract.replacement}` : ''}`];
}
