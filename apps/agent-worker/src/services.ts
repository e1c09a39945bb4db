import { handlersWith } from '#lib/handlers';
import type { CodeRunner } from './code/code-runner.js';
import type { LocalServices } from './local-services.js';
import type { Turns } from './turns/turns.js';

/** What the handlers of this worker get besides their context. */
export interface AgentServices extends LocalServices {
  readonly turns: Turns;
  readonly codes: CodeRunner;
}

export const handleTurn = handlersWith<AgentServices>();
