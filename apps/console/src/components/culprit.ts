export type Culprit = 'caller' | 'tool' | 'upstream' | 'system' | 'limit';

/** Whose fault an error code means, by the table of the gateway. A tool's own code is an answer about what the caller asked for. */
export function culpritOf(code: string): Culprit {
  if (['NETWORK_ERROR', 'TIMEOUT'].includes(code)) return 'upstream';
  if (code === 'EXECUTION_ERROR') return 'tool';
  if (code === 'OVERLOADED') return 'system';
  if (['RATE_LIMITED', 'QUOTA_EXCEEDED'].includes(code)) return 'limit';
  return 'caller';
}
