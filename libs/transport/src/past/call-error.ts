import { hash } from 'node:crypto';
import type { ErrorCause, ErrorCode } from '#lib/contracts';

/** What errors have in common that are counted together. Null stands for everything that found no place of its own. */
export interface CountedKind {
  readonly tenant_id: string | null;
  readonly tool_name: string | null;
  readonly code: string;
  readonly native_code: string | null;
  readonly cause: ErrorCause;
  /** As `templateOf` makes it. */
  readonly message: string | null;
}

/** One call of a kind. */
export interface CountedSample {
  /** Epoch ms. */
  readonly at: number;
  readonly trace_id: string;
  readonly job_id: string | null;
  readonly user_id: string | null;
  /** Null where it is not kept any more. */
  readonly message: string | null;
}

/** A call that ended with an error in this process. */
export interface CallError {
  /** Epoch ms. */
  readonly at: number;
  readonly kind: Omit<CountedKind, 'message'>;
  readonly family: ErrorCode;
  readonly sample: Omit<CountedSample, 'at'> & { readonly message: string };
}

/** Names a kind, the same in every process. */
export function idOf({ tenant_id, tool_name, code, native_code, cause, message }: CountedKind): string {
  return hash('sha1', JSON.stringify([tenant_id, tool_name, code, native_code, cause, message]), 'base64url').slice(0, 16);
}
