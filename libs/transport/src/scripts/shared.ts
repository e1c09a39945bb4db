import { recordLifeMs } from '../redis/lives.js';

// Lua that several scripts use. A script names what it uses in `uses`; it stands after the script's keys and arguments.

/**
 * Comes first in a script that reaches keys which it is not told. While the slot moves in a cluster, some of its keys are here and some
 * elsewhere. Redis refuses to name two of them then where one is missing, and with that the script, before it has written anything.
 * Scripts that are told of a key that need not be there are refused anyway.
 */
export const inOnePlace = "redis.call('EXISTS', KEYS[1] .. ':never', KEYS[1] .. ':nowhere')";

/** `hasEnded(state)`: whether a record in this state will not change any more. */
export const hasEnded = `
local function hasEnded(state)
  return state == 'completed' or state == 'failed' or state == 'cancelled'
end`;

/**
 * The place of the last entry of a call that has ended and whose log has none: its first and its last entry follow from its record
 * ([decision 65](../../../../docs/decisions/0065-the-first-and-the-last-event-are-not-stored.md)).
 */
export const nothingLogged = -1;

/** `addEvent(seq, event)`: one more entry of the log at that place. Needs the key `events` and the argument `now`. */
export const addEvent = `
local function addEvent(seq, event)
  redis.call('XADD', eventsKey, string.format('%d-0', seq), 'at', now, 'event', event)
end`;

/**
 * `leaveRest(jobId, lists, now)`: takes a call off those that rest, and puts it back among the others of its caller. `lists` are the names that
 * the record has under this name. Needs the key `resting` and the argument `slot`.
 */
export const leaveRest = `
local function leaveRest(jobId, lists, now)
  local callerJobs, callerResting = string.match(lists, '^(%S+) (%S+)$')
  redis.call('ZREM', restingKey, jobId)
  redis.call('ZREM', slot .. callerResting, jobId)
  redis.call('ZADD', slot .. callerJobs, now, jobId)
  redis.call('PEXPIRE', slot .. callerJobs, ${recordLifeMs})
end`;

/** `beginAttempt(key, now, pauses)`: starts an attempt of the call with this record; returns what the script `begin` does. Needs `hasEnded`, `pauseOf` and the
 * arguments `notices` and `jobId`. */
export const beginAttempt = `
local function beginAttempt(key, now, pauses)
  local record = redis.call('HMGET', key, 'state', 'head', 'mac', 'deadline', 'spent', 'runs', 'startedAt', 'restedMs', 'readyAt',
    'steps', 'paced', 'reported', 'model')
  local state, head, mac = record[1], record[2], record[3]
  if not state then return {'unknown'} end
  if hasEnded(state) or state == 'resting' then return {'ended'} end
  if tonumber(record[4]) <= tonumber(now) then return {'expired', head, mac} end
  local pause = pauses ~= '' and pauseOf(pauses, head)
  if pause then return {'paused', head, mac, record[6], pause.id, pause.name, pause.why} end
  local attempt, startedAt = tonumber(record[6]) + 1, record[7] or now
  redis.call('HSET', key, 'state', 'active', 'runs', attempt, 'startedAt', startedAt, 'wrote', ' ')
  if record[11] then redis.call('PUBLISH', notices, 'begun ' .. jobId) end
  return {'begun', head, mac, attempt, startedAt, record[5] or '', record[8] or '', record[9] or '', record[10] or '', record[12] or '', record[13] or ''}
end`;

/**
 * `tell(listeners, notice, whole)`: a notice for the processes that follow a call, each on a channel of its own. Those whose names end with
 * `+` get it whole, where there is more to tell. Everybody hears of a call that an older version accepted, which has no listeners. Needs the
 * argument `notices`.
 */
export const tell = `
local function tell(listeners, notice, whole)
  if not listeners then redis.call('PUBLISH', notices, notice) return end
  for listener in string.gmatch(listeners, '%S+') do
    local takesWhole = whole and string.sub(listener, -1) == '+'
    redis.call('PUBLISH', notices .. ':' .. listener, takesWhole and whole or notice)
  end
end`;
