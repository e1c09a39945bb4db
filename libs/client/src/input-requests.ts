import { requestParts, type RequestOptions } from './call-request.js';
import type { InputDecision, InputKind, InputRequest, InputRequestPage, InputState } from './input-wire.js';
import type { Requests } from './requests.js';

interface InputListOptions extends RequestOptions {
  /** Default `mine`: of the caller's own calls, and what the caller may approve; `tenant` needs the scope `approvals`. */
  readonly scope?: 'mine' | 'tenant' | undefined;
  readonly state?: InputState | undefined;
  readonly kind?: InputKind | undefined;
  readonly tool?: string | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1–100, default 50. */
  readonly limit?: number | undefined;
}

/** What people are asked while calls rest. */
export class InputRequests {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** A page, newest first. */
  async list({ scope, state, kind, tool, cursor, limit, ...options }: InputListOptions = {}): Promise<InputRequestPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ scope, state, kind, tool, cursor, limit }))
      if (value !== undefined) query.set(name, String(value));
    return this.#requests.get<InputRequestPage>(`input-requests?${query.toString()}`, options);
  }

  async get(id: string, options: RequestOptions = {}): Promise<InputRequest> {
    return this.#requests.get<InputRequest>(pathOf(id), options);
  }

  /** Throws CONFLICT where somebody has decided already, with how, and EXPIRED after its end. */
  async decide(id: string, decision: InputDecision, options: RequestOptions = {}): Promise<InputRequest> {
    return this.#requests.transport.json<InputRequest>(pathOf(id), { method: 'POST', body: decision, ...requestParts(options) });
  }
}

function pathOf(id: string): string {
  return `input-requests/${encodeURIComponent(id)}`;
}
