import { hasScope, principal, Refusal, type Caller, type InputDecision } from '#lib/contracts';
import type { InputRow } from '../calls/waiting/input-row.js';

/** Whether this caller may do this with an input request that they can see. */
export function mayDecide(caller: Caller, row: InputRow, action: InputDecision['action']): boolean {
  return deciderFault(caller, row, action) === null;
}

/** Why not; null where they may. An approval is for others to give, unless its rule says otherwise; everything else is for the caller to answer. */
export function deciderFault(
  caller: Caller,
  { kind, requestedBy, selfDecides }: InputRow,
  action: InputDecision['action'],
): Refusal | null {
  const isOwn = requestedBy === principal(caller);
  if (isOwn && (kind !== 'approval' || action === 'cancel')) return null;
  if (kind !== 'approval') return new Refusal('PERMISSION_DENIED', `Only ${requestedBy} can answer this`);
  if (!hasScope(caller, 'approvals'))
    return new Refusal('PERMISSION_DENIED', 'Approvals need a credential with the scope approvals', {
      extra: { required_scope: 'approvals' },
    });
  if (!isOwn || selfDecides) return null;
  return new Refusal('PERMISSION_DENIED', 'Nobody approves or declines a call of their own; cancel it instead');
}
