// What the gateway answers of input requests, by its wire contract. A later gateway may add fields.
import type { Pagination } from './history-wire.js';

export type InputState = 'open' | 'accepted' | 'declined' | 'cancelled' | 'expired';
export type InputKind = 'approval' | 'question' | 'connection';

/** What a person is asked while a call rests. */
export interface InputRequest {
  readonly id: string;
  readonly kind: InputKind;
  readonly job_id: string;
  readonly tool_name: string;
  readonly message: string;
  /** JSON Schema of the content that is asked for; null for an approval. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Of a question of an outside server to a client of MCP, for its own caller: what is asked, for which `schema` stands. */
  readonly request?: {
    readonly method: 'sampling/createMessage' | 'roots/list' | 'elicitation/create';
    readonly params: Readonly<Record<string, unknown>>;
  } | null;
  /** Sensitive ones are `[redacted]`. Null where they are too large to show. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** The principal whose call it is. */
  readonly requested_by: string;
  /** Of a connection, for its own caller: where their browser goes. */
  readonly url?: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly state: InputState;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly reason: string | null;
}

export interface InputRequestPage {
  readonly input_requests: readonly InputRequest[];
  readonly pagination: Pagination;
}

export interface InputDecision {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** With `accept`: of an approval `{ arguments }` where they are changed. What still is `[redacted]` in its place stays as it was. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** For the caller and the audit. */
  readonly reason?: string;
}
