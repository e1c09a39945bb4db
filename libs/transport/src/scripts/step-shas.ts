import { accept } from './accept.js';
import { turn } from './turn.js';

/** By which Redis is asked for the steps of calls: for faults that strike between them. */
export const stepShas = { accept: accept.sha, turn: turn.sha } as const;
