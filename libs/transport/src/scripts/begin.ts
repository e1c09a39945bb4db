import { Script } from '../redis/script.js';
import { pauseOf } from './pauses.js';
import { beginRun, hasEnded } from './shared.js';

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
    "{'unknown'} {'ended'} {'expired', head, mac} {'paused', head, mac, runs, id, name, why} {'run', head, mac, run, started at, retries used, rested ms, ready at, steps, reported micros, model}",
  uses: [hasEnded, pauseOf, beginRun],
  lua: 'return beginRun(invocationKey, now, pauses)',
});
