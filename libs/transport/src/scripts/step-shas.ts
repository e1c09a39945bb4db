import { accept } from './accept.js';
import { end } from './end.js';
import { take } from './take.js';

/** By which Redis is asked for the steps of a call: for faults that strike between them. */
export const stepShas = { accept: accept.sha, take: take.sha, end: end.sha } as const;
