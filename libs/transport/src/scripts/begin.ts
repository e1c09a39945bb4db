import { Script } from '../redis/script.js';
import { pauseOf } from './pauses.js';
import { beginAttempt, hasEnded } from './shared.js';

/** A worker takes an invocation up. The attempt number it gets fences every later write: only the latest attempt may write. */
export const begin = new Script({
  keys: ['invocation'],
  args: {
    jobId: 'text',
    notices: 'text', // channel
    now: 'text',
    pauses: 'text', // of the partition, as the worker saw them when it took the job; or ''
  },
  returns:
    "{'unknown'} {'ended'} {'expired', head, mac} {'paused', head, mac, attempt, id, name, why} {'begun', head, mac, attempt, started at, retries used, rested ms, ready at, steps, reported micros, model}",
  uses: [hasEnded, pauseOf, beginAttempt],
  lua: 'return beginAttempt(invocationKey, now, pauses)',
});
