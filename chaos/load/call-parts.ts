import type { CallLog } from '../history/call-log.js';
import type { Client } from './client.js';
import type { Patience } from './patience.js';

/** What a call is made with. */
export interface CallParts {
  readonly client: Client;
  readonly log: CallLog;
  readonly patience: Patience;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: object;
  /** The tool's whole deadline: a gateway answers by then, whatever happens. */
  readonly deadlineMs: number;
}

/** Room for the network and a busy machine beyond a promised time. */
export const slackMs = 8_000;
