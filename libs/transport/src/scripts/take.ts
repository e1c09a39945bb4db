import { Script } from '../script.js';
import { takeArgs, takeJob, takeKeys } from './queue-format.js';
import { beginRun, hasEnded, inOnePlace } from './shared.js';

/** A worker takes the next job of its queue, and the run of its call begins. */
export const take = new Script({
  keys: takeKeys,
  args: takeArgs,
  returns: "'stock' {'none', delayed until} {'job', id, more, delayed until, fields, begun} {'again', id, more, delayed until, all fields}",
  uses: [inOnePlace, hasEnded, beginRun, takeJob],
  lua: 'return takeJob()',
});
