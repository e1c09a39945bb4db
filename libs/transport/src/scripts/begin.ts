import { Script } from '../redis/script.js';
import { beginRun, hasEnded } from './shared.js';

/** A worker takes an invocation up. The run number it gets fences every later write: only the latest run may write. */
export const begin = new Script({
  keys: ['invocation'],
  args: { now: 'text' },
  returns: "{'unknown'} {'ended'} {'expired', head, mac} {'run', head, mac, run, started at, retries used, rested ms, ready at, steps}",
  uses: [hasEnded, beginRun],
  lua: 'return beginRun(invocationKey, now)',
});
