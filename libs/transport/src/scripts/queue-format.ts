// Lua that reads and writes jobs in the format of BullMQ 6.7, so that BullMQ's own scripts, its getters and its board work on them. A test
// compares the keys that these pieces leave with those that BullMQ leaves, and fails when a script of BullMQ changes.
// Left out is what nobody reads: BullMQ's stream of events, its counter of ids, parents and deduplication.
/**
 * `pushJob(id, priority)`: as BullMQ's `addStandardJob` and `addPrioritizedJob`. Needs the keys `job`, `wait`, `prioritized`, `pc` and
 * `marker`, and the arguments `jobName`, `jobData`, `jobOpts` and `now`.
 */
export const pushJob = `
local function pushJob(id, priority)
  local opts = jobOpts
  if priority > 0 then opts = string.format('{"priority":%d,', priority) .. string.sub(jobOpts, 2) end
  redis.call('HSET', jobKey, 'name', jobName, 'data', jobData, 'opts', opts, 'timestamp', now, 'delay', '0', 'priority', priority)
  if priority == 0 then
    redis.call('LPUSH', waitKey, id)
  else
    redis.call('ZADD', prioritizedKey, priority * 0x100000000 + redis.call('INCR', pcKey) % 0x100000000, id)
  end
  -- Wakes a worker. One that finds the queue paused sleeps again.
  redis.call('ZADD', markerKey, '0', '0')
end`;

/** What `takeJob` needs: keys of BullMQ's, and the names of those that only the script can know. */
export const takeKeys = ['wait', 'active', 'prioritized', 'delayed', 'meta', 'marker', 'pc'] as const;
export const takeArgs = {
  queuePrefix: 'text', // of BullMQ's keys
  recordPrefix: 'text', // of the records of calls
  token: 'text', // for the job's lock
  lockMs: 'text',
  takenAt: 'text', // by the clock of the worker, as BullMQ has it
  clock: 'text', // the shared time, by which runs begin
} as const;

/**
 * `takeJob()`: as BullMQ's `moveToActive`, and the call's run begins in the same step. What is rare is left to BullMQ: a paused or bounded
 * queue, and delayed jobs whose time has come. Needs `hasEnded` and `beginRun`.
 *
 * Returns 'stock'; {'none', time of the next delayed job in ms, or 0}; {'job', id, 1 or 2 where more waits, that time, fields, the reply of
 * `begin`}; or {'again', id, more, that time, all fields} for a job that was taken before, whose run the worker begins by itself: an earlier
 * run may still be at work there.
 */
export const takeJob = `
local function startJob(id, delayedUntil)
  local taken = queuePrefix .. id
  redis.call('SET', taken .. ':lock', token, 'PX', lockMs)
  local fields = redis.call('HMGET', taken, 'name', 'opts', 'timestamp', 'delay', 'priority', 'atm', 'stc', 'ats', 'defa')
  local starts = tonumber(fields[8] or '0') + 1
  redis.call('HSET', taken, 'processedOn', takenAt, 'ats', starts)
  -- For the next worker. BullMQ sets it also when nothing waits, and that worker then finds nothing.
  local more = redis.call('EXISTS', waitKey, prioritizedKey)
  if more > 0 then redis.call('ZADD', markerKey, '0', '0') end
  if starts > 1 or fields[9] then return {'again', id, more, delayedUntil, redis.call('HGETALL', taken)} end
  fields[8], fields[9] = starts, takenAt
  return {'job', id, more, delayedUntil, fields, beginRun(recordPrefix .. id, clock)}
end
local function takeJob()
  local meta = redis.call('HMGET', metaKey, 'paused', 'concurrency', 'max')
  if meta[1] or meta[2] or meta[3] then return 'stock' end
  local due = redis.call('ZRANGE', delayedKey, '0', '0', 'WITHSCORES')[2]
  if due and tonumber(due) < (tonumber(takenAt) + 1) * 4096 then return 'stock' end
  local delayedUntil = due and math.floor(tonumber(due) / 4096) or 0
  local id = redis.call('RPOPLPUSH', waitKey, activeKey)
  if id then return startJob(id, delayedUntil) end
  id = redis.call('ZPOPMIN', prioritizedKey)[1]
  if id then
    redis.call('LPUSH', activeKey, id)
    return startJob(id, delayedUntil)
  end
  redis.call('DEL', pcKey)
  return {'none', delayedUntil}
end`;

/** What `completeJob` needs besides. */
export const completeKeys = ['stalled', 'completed'] as const;
export const completeArgs = {
  attempts: 'text', // that the job has made, this one included
  returnValue: 'text', // JSON
  trims: 'flag', // also drops ended jobs that the board no longer shows
  keeps: 'number', // ended jobs that it does show
} as const;

/** The most jobs that are dropped at once. */
const mostDropped = 1_000;

/**
 * `completeJob()`: as BullMQ's `moveToFinished`, for a job that completes. Needs the key `job` and the arguments `jobId` and
 * `shown` as well. Returns 0, or
 * BullMQ's code for a job that is no longer this worker's: -2 without a lock, -6 locked by another, -3 not active.
 */
export const completeJob = `
local function completeJob()
  local lock = jobKey .. ':lock'
  local owner = redis.call('GET', lock)
  if owner ~= token then return owner and -6 or -2 end
  redis.call('DEL', lock)
  redis.call('SREM', stalledKey, jobId)
  if redis.call('LREM', activeKey, '-1', jobId) < 1 then return -3 end
  redis.call('ZADD', completedKey, takenAt, jobId)
  redis.call('HSET', jobKey, 'data', shown, 'atm', attempts, 'returnvalue', returnValue, 'finishedOn', takenAt)
  if trims then
    local surplus = math.min(redis.call('ZCARD', completedKey) - keeps, ${mostDropped})
    if surplus > 0 then
      local old = redis.call('ZPOPMIN', completedKey, surplus)
      for n = 1, #old, 2 do old[n], old[n + 1] = queuePrefix .. old[n], queuePrefix .. old[n] .. ':logs' end
      redis.call('UNLINK', unpack(old))
    end
  end
  return 0
end`;
