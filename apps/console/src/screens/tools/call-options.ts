import { queryString } from '../../data/query-string.js';

/** `wait` for the result · `accept`: a 202 at once · `stream`: a 202, and then its events. */
export type Mode = 'wait' | 'accept' | 'stream';

export interface ChosenOptions {
  readonly mode: Mode;
  readonly idempotencyKey: string;
  readonly sessionId: string;
  readonly debug: boolean;
  readonly fresh: boolean;
}

/** The path of a call with its options. */
export function callPath(name: string, { debug, fresh }: ChosenOptions): string {
  return `tools/${encodeURIComponent(name)}${queryString({ debug: debug ? 'true' : undefined, enable_cache: fresh ? 'false' : undefined })}`;
}

/** Headers of a call that its author chooses. */
export function callHeaders({ mode, idempotencyKey, sessionId }: ChosenOptions): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    ...(mode !== 'wait' && { prefer: 'respond-async' }),
    ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }),
    ...(sessionId !== '' && { 'x-session-id': sessionId }),
  };
}
