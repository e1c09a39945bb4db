import type { ToolContract } from '#lib/contracts';
import { conditionFault } from './call-conditions.js';

/** What is wrong with the approval that a contract asks for; empty where nothing is. */
export function approvalFaults({ approval }: Pick<ToolContract, 'approval'>): readonly string[] {
  if (approval === undefined || approval === true || approval.when === undefined) return [];
  const fault = conditionFault(approval.when);
  return fault === null ? [] : [`approval.when ${fault}`];
}
