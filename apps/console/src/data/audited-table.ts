import type { AuditEvent } from '#lib/contracts';

/** `api_key` of `api_key.insert`. */
export function tableOf({ action }: Pick<AuditEvent, 'action'>): string {
  return action.split('.')[0] ?? action;
}
