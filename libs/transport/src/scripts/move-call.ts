import { Script } from '../redis/script.js';
import { recordLifeMs } from '../redis/lives.js';
import { holding } from './holding.js';
import { inOnePlace } from './shared.js';

/** State of a record whose call is in the database: what lists show is left of it. */
export const movedState = 'moved';

/** After a call has come back, how long it stays at least: whoever has asked for it does something with it. */
const staysMs = 60_000;

/** What is found in one step, told by its digest: it has changed where that is another one later. */
const whole = `
local function digest()
  return redis.sha1hex(table.concat(redis.call('HGETALL', invocationKey), '\\0'))
end`;

/** Reads all that Redis has of a call at rest. */
export const readWhole = new Script({
  keys: ['invocation', 'events', 'steps'],
  args: { now: 'number' },
  returns:
    '{digest, record, events, steps, until when the record lives}, each a flat list; {} for one that does not rest, or came back just now',
  uses: [whole],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'cameAt')
if record[1] ~= 'resting' or (record[2] and now < tonumber(record[2]) + ${staysMs}) then return {} end
local events = {}
for _, entry in ipairs(redis.call('XRANGE', eventsKey, '-', '+')) do
  events[#events + 1] = entry[1]
  for _, field in ipairs(entry[2]) do events[#events + 1] = field end
end
return {digest(), redis.call('HGETALL', invocationKey), events, redis.call('HGETALL', stepsKey), now + redis.call('PTTL', invocationKey)}`,
});

/** Leaves of a call what lists show of it, if nothing has happened to it since it was read. */
export const leaveRedis = new Script({
  keys: ['invocation', 'events', 'steps', 'resting'],
  args: {
    jobId: 'text',
    digestOf: 'text', // as it was read
    head: 'text', // without its parameters
    copy: 'text', // names what was read
  },
  returns: "'moved' 'changed'",
  uses: [whole],
  lua: `
if redis.call('EXISTS', invocationKey) == 0 or digest() ~= digestOf then return 'changed' end
redis.call('HSET', invocationKey, 'state', '${movedState}', 'head', head, 'copy', copy)
redis.call('HDEL', invocationKey, 'mac')
redis.call('UNLINK', eventsKey, stepsKey)
redis.call('ZREM', restingKey, jobId)
return 'moved'`,
});

/**
 * Puts a call back that was moved, also where Redis has forgotten it. One that is there stays as it is, and is not moved by whoever has read it
 * before; so does one that has moved again since this copy was read.
 */
export const comeBack = new Script({
  keys: ['invocation', 'events', 'steps', 'resting'],
  args: {
    slot: 'text', // what names of keys begin with
    jobId: 'text',
    now: 'number',
    ends: 'number', // when its rest ends
    lives: 'number', // until when its record lives
    flight: 'text', // key without the slot, or ''
    copy: 'text', // which one it is
    fields: 'number', // values of the record
    logged: 'number', // values of the events
  },
  moreArgs: 'values',
  returns: "'back' 'there'",
  uses: [inOnePlace, holding],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'copy')
local state = record[1]
if state and (state ~= '${movedState}' or record[2] ~= copy) then
  if state == 'resting' then redis.call('HSET', invocationKey, 'cameAt', now) end
  return 'there'
end
local kept = redis.call('HMGET', invocationKey, 'listeners', 'joined')
redis.call('DEL', invocationKey)
for n = 1, fields, 2 do redis.call('HSET', invocationKey, values[n], values[n + 1]) end
for n = fields + 1, fields + logged, 5 do
  redis.call('XADD', eventsKey, values[n], values[n + 1], values[n + 2], values[n + 3], values[n + 4])
end
for n = fields + logged + 1, #values, 2 do redis.call('HSET', stepsKey, values[n], values[n + 1]) end
redis.call('HSET', invocationKey, 'cameAt', now)
if kept[1] then redis.call('HSET', invocationKey, 'listeners', kept[1]) end
if kept[2] then redis.call('HSET', invocationKey, 'joined', kept[2]) end
local lifeMs = math.max(${recordLifeMs}, lives - now)
for _, key in ipairs({invocationKey, eventsKey, stepsKey}) do redis.call('PEXPIRE', key, lifeMs) end
redis.call('ZADD', restingKey, ends, jobId)
if not state then
  -- Redis has forgotten it, and what its tenant holds.
  local own = redis.call('HMGET', invocationKey, 'heldKey', 'bytes', 'lists')
  if own[1] then
    heldBytes(own[1], now, now + lifeMs)
    hold(own[1], tonumber(own[2]), now + lifeMs)
    redis.call('HSET', invocationKey, 'heldHour', math.ceil((now + lifeMs) / 3600000))
    if redis.call('PTTL', own[1]) < lifeMs + 86400000 then redis.call('PEXPIRE', own[1], lifeMs + 86400000) end
  end
  local callerResting = slot .. string.match(own[3] or '', '(%S+)$')
  redis.call('ZADD', callerResting, now, jobId)
  if redis.call('PTTL', callerResting) < lifeMs then redis.call('PEXPIRE', callerResting, lifeMs) end
  if flight ~= '' then redis.call('SET', slot .. flight, jobId, 'PX', lifeMs, 'NX') end
end
return 'back'`,
});
