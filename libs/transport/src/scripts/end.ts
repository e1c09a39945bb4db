import { Script } from '../script.js';
import { endArgs, endInvocation, endKeys, showEnded } from './finish.js';
import { holding } from './holding.js';
import { completeArgs, completeJob, completeKeys, takeArgs, takeJob, takeKeys } from './queue-format.js';
import { beginRun, hasEnded, tell } from './shared.js';

/**
 * Ends the invocation of a job, completes the job, and takes the next one, in one step. The invocation is fenced by its run, as always; the
 * job by its lock. One may be the worker's still when the other is not.
 */
export const end = new Script({
  keys: [...endKeys, ...completeKeys, ...takeKeys],
  args: { ...endArgs, ...completeArgs, ...takeArgs, takes: 'flag' },
  returns: "{what became of the invocation, as `finish`; of the job: 0, or BullMQ's code; the next job, as `take`, or nothing}",
  uses: [hasEnded, tell, holding, beginRun, endInvocation, showEnded, takeJob, completeJob],
  lua: `
local ended, isSentAgain = endInvocation()
local completed = completeJob()
if completed == 0 then return {ended, 0, takes and takeJob()} end
if isSentAgain then
  -- The connection broke before the reply: the job is complete, and the one that was taken with it has nobody who knows of it.
  for _, id in ipairs(redis.call('LRANGE', activeKey, '0', '-1')) do
    if redis.call('GET', queuePrefix .. id .. ':lock') == token then return {ended, 0, startJob(id, 0)} end
  end
  return {ended, 0, false}
end
if ended == 1 then showEnded() end
return {ended, completed, false}`,
});
