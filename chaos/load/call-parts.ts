import type { CallLog } from '../history/call-log.js';
import type { Client } from './client.js';
import type { RetryPolicy } from './retry-policy.js';

/** What a call is made with. */
export interface CallParts {
  readonly client: Client;
  readonly log: CallLog;
  readonly retry: RetryPolicy;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: object;
  /** The tool's whole deadline: the gateway answers by then in any case. */
  readonly deadlineMs: number;
}

/** Room for the network and a busy machine beyond a promised time. */
export const slackMs = 8_000;
