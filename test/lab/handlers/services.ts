import { handlersWith, type HandlerContext } from '#lib/handlers';
import type { LedgerCall, LedgerClient } from '../ledger-client.js';

export interface LabServices {
  readonly ledger: LedgerClient;
}

export const handle = handlersWith<LabServices>();

/** How a call of the ledger names the invocation that makes it. */
export function callOf(order: string, { effectKey, attempt }: Pick<HandlerContext<LabServices>, 'effectKey' | 'attempt'>): LedgerCall {
  return { order, key: effectKey, attempt };
}
