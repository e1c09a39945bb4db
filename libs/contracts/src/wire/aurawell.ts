import type { Outcome } from '../envelope.js';

/** An answer in the format of the AuraWell document (AW-02). It has exactly these four keys. */
export interface AurawellAnswer {
  readonly status: 'success' | 'error';
  readonly data: unknown;
  readonly error_code: string | null;
  readonly message: string;
}

export function toAurawell(outcome: Outcome): AurawellAnswer {
  if (!outcome.ok)
    return { status: 'error', data: null, error_code: outcome.error.native_code ?? outcome.error.code, message: outcome.error.message };
  const message = [outcome.message, ...(outcome.warnings ?? [])].filter(Boolean).join(' ');
  return { status: 'success', data: outcome.data, error_code: null, message: message || 'OK' };
}
