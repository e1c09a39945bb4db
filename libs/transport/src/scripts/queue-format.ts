import { pausesField } from './pauses.js';

// Lua that reads and writes jobs in the format of BullMQ 6.7, so that BullMQ's own scripts, its getters and its board work on them. A test
// compares the keys that these pieces leave with those that BullMQ leaves, and fails when a script of BullMQ changes.
// Left out is what nobody reads: BullMQ's stream of events, its counter of ids, parents and deduplication.
/**
 * Jobs are pushed as by BullMQ's `addStandardJob` and `addPrioritizedJob`, those of a group together: `pushJob(id, name, data, attempts, now,
 * priority)` writes a job, and `pushAll()` enqueues all that were written, or returns false where there are none. `wakeWorker()` follows. `firstPrioritized()` is the lowest score of a job with a priority,
 * or false; `countBefore(score)` counts those below a score. Both know of the jobs that are still to be enqueued. Needs the keys `wait`,
 * `prioritized`, `pc` and `marker`, and the arguments `queuePrefix` and `commonOpts`.
 */
export const pushJobs = `
local plainJobs, laterJobs, firstScore = {}, {}, nil
local function firstPrioritized()
  if firstScore == nil then firstScore = tonumber(redis.call('ZRANGE', prioritizedKey, 0, 0, 'WITHSCORES')[2]) or false end
  return firstScore
end
local function countBefore(score)
  local count = redis.call('ZCOUNT', prioritizedKey, '-inf', string.format('(%.0f', score))
  for n = 1, #laterJobs, 2 do if laterJobs[n] * 0x100000000 < score then count = count + 1 end end
  return count
end
local function pushJob(id, name, data, attempts, now, priority)
  local first = priority > 0 and string.format('{"priority":%d,"jobId":"', priority) or '{"jobId":"'
  local opts = first .. id .. '","attempts":' .. attempts .. ',' .. commonOpts
  redis.call('HSET', queuePrefix .. id, 'name', name, 'data', data, 'opts', opts, 'timestamp', now, 'delay', '0', 'priority',
    priority == 0 and '0' or priority)
  if priority == 0 then
    plainJobs[#plainJobs + 1] = id
  else
    laterJobs[#laterJobs + 1], laterJobs[#laterJobs + 2] = priority, id
    if not firstPrioritized() or priority * 0x100000000 < firstScore then firstScore = priority * 0x100000000 end
  end
end
local function pushAll()
  if #plainJobs > 0 then redis.call('LPUSH', waitKey, unpack(plainJobs)) end
  if #laterJobs > 0 then
    local last = redis.call('INCRBY', pcKey, #laterJobs / 2) - #laterJobs / 2
    for n = 1, #laterJobs, 2 do
      last = last + 1
      laterJobs[n] = string.format('%.0f', laterJobs[n] * 0x100000000 + last % 0x100000000)
    end
    redis.call('ZADD', prioritizedKey, unpack(laterJobs))
  end
  return #plainJobs + #laterJobs > 0
end`;

/** `wakeWorker()`: one of those that sleep. One that finds the queue paused sleeps again. Needs the key `marker`. */
export const wakeWorker = `
local function wakeWorker()
  redis.call('ZADD', markerKey, '0', '0')
end`;

/** What `takeJobs` needs: keys of BullMQ's. */
export const takeKeys = ['wait', 'active', 'prioritized', 'delayed', 'meta', 'marker', 'pc'] as const;
export const takeArgs = {
  slot: 'text', // what names of keys begin with
  queuePrefix: 'text', // of BullMQ's keys
  token: 'text', // of the worker's locks
  lockMs: 'text',
  takenAt: 'text', // by the clock of the worker, as BullMQ has it
  clock: 'text', // the shared time, by which runs begin
  turn: 'text', // number of this turn among those of the worker
  want: 'number', // jobs, at most
} as const;

/**
 * `takeJobs(again, keepTaken)`: as BullMQ's `moveToActive` for several jobs, and the attempts of their calls begin in the same step. What is rare is left to
 * BullMQ: a paused or bounded queue, and delayed jobs whose time has come. `again` are the jobs that the worker has taken already in this turn, in the form
 * below, or nil. `keepTaken(ids)` is told what it takes now.
 *
 * Returns {'stock', pauses}, or {jobs, 1 or 2 where more waits, time of the next delayed job in ms, or 0, pauses}. A job is {id, head, mac} where its attempt
 * has begun, with the number 1 and at `clock`; or {id} for one that was taken before, has rested, is paused, or whose call is not as it should be: the worker
 * looks at it. `pauses` are those of the partition, or ''. Needs `pauseOf`, `wakeWorker`, and the channel `notices` of those who end calls: flows hear there that a paced
 * call has begun.
 */
export const takeJobs = `
local function nextJobs()
  local ids = redis.call('RPOP', waitKey, want) or {}
  if #ids < want then
    local found = redis.call('ZPOPMIN', prioritizedKey, want - #ids)
    for n = 1, #found, 2 do ids[#ids + 1] = found[n] end
  end
  if #ids < want then redis.call('DEL', pcKey) end
  if #ids == 0 then return ids end
  redis.call('LPUSH', activeKey, unpack(ids))
  return ids
end
local function startJob(id, pauses)
  local key = slot .. 'invocation:' .. id
  local record = redis.call('HMGET', key, 'state', 'head', 'mac', 'deadline', 'runs', 'restedMs', 'paced')
  local job = queuePrefix .. id
  redis.call('SET', job .. ':lock', token, 'PX', lockMs)
  -- As often as it was started, for people who look at the queue.
  local starts = record[5] == '0' and '1' or tonumber(redis.call('HGET', job, 'ats') or '0') + 1
  redis.call('HSET', job, 'processedOn', takenAt, 'ats', starts)
  if record[1] ~= 'waiting' or record[5] ~= '0' or record[6] or tonumber(record[4]) <= tonumber(clock) then return {id} end
  if pauseOf(pauses, record[2]) then return {id} end
  redis.call('HSET', key, 'state', 'active', 'runs', '1', 'startedAt', clock, 'wrote', ' ')
  if record[7] then redis.call('PUBLISH', notices, 'begun ' .. id) end
  return {id, record[2], record[3]}
end
local function takeJobs(again, keepTaken)
  local meta = redis.call('HMGET', metaKey, 'paused', 'concurrency', 'max', '${pausesField}')
  local pauses = meta[4] or ''
  if not again and (meta[1] or meta[2] or meta[3]) then return {'stock', pauses} end
  local due = redis.call('ZRANGE', delayedKey, '0', '0', 'WITHSCORES')[2]
  if not again and due and tonumber(due) < (tonumber(takenAt) + 1) * 4096 then return {'stock', pauses} end
  local jobs, ids = again or {}, again and {} or nextJobs()
  if #ids > 0 then keepTaken(ids) end
  for n, id in ipairs(ids) do jobs[n] = startJob(id, meta[4]) end
  local more = redis.call('EXISTS', waitKey, prioritizedKey)
  -- For the next worker. BullMQ sets it also when nothing waits, and that worker then finds nothing.
  if more > 0 then wakeWorker() end
  return {jobs, more, due and math.floor(tonumber(due) / 4096) or 0, pauses}
end`;

/** What `completeJob` and `dropShown` need besides. */
export const completeKeys = ['active', 'stalled', 'completed'] as const;
export const completeArgs = {
  queuePrefix: 'text', // of BullMQ's keys
  token: 'text', // of the worker's locks
  takenAt: 'text', // by the clock of the worker, as BullMQ has it
  trims: 'flag', // also drops ended jobs that the board no longer shows
  keeps: 'number', // ended jobs that it does show
} as const;

/** The most jobs that are dropped at once. */
const mostDropped = 1_000;

/**
 * Jobs complete as by BullMQ's `moveToFinished`, those of a group together. `readLocks(ids)` reads who holds these jobs, and comes first.
 * `completeJob(id, shown, attempts, returnValue)` completes one that this worker holds; one that it does not hold stays as it is, and false is
 * returned. `completeAll()` writes what they share.
 */
export const completeJobs = `
local locksOfEnded, completedJobs, endedIds, holderOf = {}, {}, {}, {}
local function readLocks(ids)
  if #ids == 0 then return end
  local locks = {}
  for n, id in ipairs(ids) do locks[n] = queuePrefix .. id .. ':lock' end
  for n, holder in ipairs(redis.call('MGET', unpack(locks))) do holderOf[ids[n]] = holder end
end
local function completeJob(id, shown, attempts, returnValue)
  local lock = queuePrefix .. id .. ':lock'
  if holderOf[id] ~= token or redis.call('LREM', activeKey, '-1', id) < 1 then return false end
  redis.call('HSET', queuePrefix .. id, 'data', shown, 'atm', attempts, 'returnvalue', returnValue, 'finishedOn', takenAt)
  locksOfEnded[#locksOfEnded + 1], endedIds[#endedIds + 1] = lock, id
  completedJobs[#completedJobs + 1], completedJobs[#completedJobs + 2] = takenAt, id
  return true
end
local function completeAll()
  if #endedIds > 0 then
    redis.call('DEL', unpack(locksOfEnded))
    redis.call('SREM', stalledKey, unpack(endedIds))
    redis.call('ZADD', completedKey, unpack(completedJobs))
  end
  local surplus = trims and math.min(redis.call('ZCARD', completedKey) - keeps, ${mostDropped}) or 0
  if surplus > 0 then
    local old = redis.call('ZPOPMIN', completedKey, surplus)
    for n = 1, #old, 2 do old[n], old[n + 1] = queuePrefix .. old[n], queuePrefix .. old[n] .. ':logs' end
    redis.call('UNLINK', unpack(old))
  end
end`;
