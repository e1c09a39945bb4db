import type { ToolContract } from '#lib/contracts';
import { conditionFault, keyFault } from './call-conditions.js';

/** What is wrong with the expressions of a contract: when its calls need an approval, and which wait for each other. Empty where nothing is. */
export function expressionFaults({ approval, flow }: Pick<ToolContract, 'approval' | 'flow'>): readonly string[] {
  const when = approval === undefined || approval === true || approval.when === undefined ? null : conditionFault(approval.when);
  const key = flow?.key === undefined ? null : keyFault(flow.key);
  return [...(when === null ? [] : [`approval.when ${when}`]), ...(key === null ? [] : [`flow.key ${key}`])];
}
