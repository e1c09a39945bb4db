import { Script } from '../redis/script.js';

/** The field of BullMQ's `meta` of a partition that has its pauses, so that a worker finds them where it looks anyway: a number, and JSON. */
export const pausesField = 'invoq:pauses';

/** `pauseOf(pauses, head)`: the pause that a call with this head waits for, or nil. `pauses` is what the field has, or false. */
export const pauseOf = `
local readPauses
local function pauseOf(pauses, head)
  if not pauses or string.sub(pauses, -3) == ' []' then return nil end
  readPauses = readPauses or cjson.decode(string.match(pauses, '^%d+ (.*)$'))
  local call = cjson.decode(head)
  for _, pause in ipairs(readPauses) do
    if (not pause.tool or pause.tool == call.tool) and (not pause.tenant or pause.tenant == call.caller.tenantId) then return pause end
  end
end`;

/** `joinPause(jobId, id, now)` and `leavePause(jobId, rest)`: a call waits for a pause, and no more. Need the argument `slot`. */
export const waitForPause = `
local function joinPause(jobId, id, now)
  if redis.call('ZADD', slot .. 'paused:' .. id, now, jobId) == 1 then redis.call('HINCRBY', slot .. 'paused', id, 1) end
end
local function leavePause(jobId, rest)
  local id = rest and string.match(rest, '"pause":{"id":"(%d+)"')
  if not id or redis.call('ZREM', slot .. 'paused:' .. id, jobId) == 0 then return end
  if redis.call('HINCRBY', slot .. 'paused', id, -1) <= 0 then redis.call('HDEL', slot .. 'paused', id) end
end`;

/** Tells the workers of a partition what is paused, unless somebody who has read it later was here. */
export const setPauses = new Script({
  keys: ['meta', 'paused'],
  args: { number: 'number', pauses: 'text' },
  returns: 'ids of the pauses for which calls wait, each with how many',
  lua: `
local known = redis.call('HGET', metaKey, '${pausesField}')
if pauses ~= '[]' or known then
  if tonumber(known and string.match(known, '^%d+') or '0') < number then
    redis.call('HSET', metaKey, '${pausesField}', string.format('%.0f %s', number, pauses))
  end
end
return redis.call('HGETALL', pausedKey)`,
});

/** Forgets a call that waits for a pause no more, or of which no record is left. */
export const forgetPaused = new Script({
  keys: ['paused', 'calls'],
  args: { id: 'text', jobId: 'text' },
  returns: '1, or 0 where it did not wait',
  lua: `
if redis.call('ZREM', callsKey, jobId) == 0 then return 0 end
if redis.call('HINCRBY', pausedKey, id, -1) <= 0 then redis.call('HDEL', pausedKey, id) end
return 1`,
});
