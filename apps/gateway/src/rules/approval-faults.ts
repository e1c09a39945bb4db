import type { ToolContract } from '#lib/contracts';
import { callCondition } from './call-conditions.js';
import { ExpressionError } from './expression.js';

/** What is wrong with the approval that a contract asks for; empty where nothing is. */
export function approvalFaults({ approval }: Pick<ToolContract, 'approval'>): readonly string[] {
  if (approval === undefined || approval === true || approval.when === undefined) return [];
  try {
    callCondition(approval.when);
    return [];
  } catch (error) {
    if (error instanceof ExpressionError) return [`approval.when ${error.message}`];
    throw error;
  }
}
