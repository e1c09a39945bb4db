import { GroupScript } from '../redis/group-script.js';
import { endArgs, endCalls, endKeys, endOwn } from './end-calls.js';
import { holding } from './holding.js';
import { completeArgs, completeJobs, completeKeys, takeArgs, takeJobs, takeKeys, wakeWorker } from './queue-format.js';
import { offerArgs, offerPlaces, takeTurn } from './offers.js';
import { pauseOf, waitForPause } from './pauses.js';
import { hasEnded, inOnePlace, leaveRest } from './shared.js';

/**
 * One turn at a partition: calls end, their jobs complete where a worker held them, and it takes up to `want` further jobs. A call is fenced
 * by its attempt; a job by its lock. One may be the worker's still when the other is not.
 */
export const turn = new GroupScript({
  keys: [...new Set([...endKeys, ...completeKeys, ...takeKeys, 'taken' as const, 'offer' as const])],
  args: { ...endArgs, ...completeArgs, ...takeArgs, ...offerArgs },
  own: {
    ...endOwn,
    completes: 'flag', // whether the call's job completes with it
    attempts: 'text', // that the job has made, this one included
    returnValue: 'text', // JSON
  },
  returns: 'what became of the call, as `endCall`',
  adds: "{'stock', pauses} or {jobs, more, delayed until, pauses}, each with {jobs found} as its last",
  uses: [
    inOnePlace,
    hasEnded,
    holding,
    leaveRest,
    waitForPause,
    endCalls,
    completeJobs,
    pauseOf,
    wakeWorker,
    takeJobs,
    takeTurn,
    offerPlaces,
  ],
  before: "readLocks(eachOwn('jobId'))",
  one: `
local ended = endCall(${Object.keys(endOwn).join(', ')})
-- A later attempt may be this worker's too, and then the job is that attempt's.
local isComplete = completes and ended ~= -2 and completeJob(jobId, shown, attempts, returnValue)
if ended == 1 and not isComplete and redis.call('EXISTS', queuePrefix .. jobId) == 1 then
  redis.call('HSET', queuePrefix .. jobId, 'data', shown)
end
return ended`,
  after: `
endAll()
completeAll()
local taken = takeTurn()
offerPlaces()
return taken`,
});
