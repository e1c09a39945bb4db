import { recordLifeMs } from '../redis/lives.js';
import { Script } from '../redis/script.js';
import { holding } from './holding.js';
import { waitForPause } from './pauses.js';
import { addEvent, hasEnded, inOnePlace, tell } from './shared.js';

/**
 * The one way into rest: of a call that is new, or of one that runs. The record and its events stay; the id leaves the open calls and the
 * queue. A running call is fenced by its attempt and by the lock of its job: who has lost one of them rests nothing. Names of keys that are a call's
 * own are without the slot.
 */
export const restCall = new Script({
  keys: [
    'invocation',
    'events',
    'resting',
    'open',
    'openByTenant',
    'outbox',
    // BullMQ's:
    'job',
    'active',
    'stalled',
  ],
  args: {
    slot: 'text', // what names of keys begin with
    notices: 'text', // channel, and what begins those of each listener
    jobId: 'text',
    now: 'number',
    ends: 'number', // when the rest ends by itself
    lives: 'number', // when the last rest ends that is known of
    leftMs: 'number', // of the deadline, from the end of the rest
    rest: 'text', // what the record has of it
    event: 'text',
    told: 'text', // what webhooks are told of it, or ''
    write: 'text', // name of this write: one that is sent again is found there
    callerJobs: 'text', // key
    callerResting: 'text', // key
    tenant: 'text',
    flight: 'text', // key, or ''
    paced: 'flag', // gateways are told when it begins to run
    passesFlow: 'flag', // gateways are told of a rest: it gives its places in flows up
    pause: 'text', // id of the pause that it waits for, or '': one that does need not have begun to run
    // Of a call that runs:
    attempt: 'text', // the last that began, or '' for a new one
    token: 'text', // of the worker's locks
    // Of a new one:
    head: 'text',
    mac: 'text',
    fingerprint: 'text',
    idempotency: 'text', // key, or ''
    listener: 'text', // the process that follows it
    held: 'text', // key: bytes that the tenant holds
    bytes: 'number', // that the call takes
    maxBytes: 'number', // of a tenant
    maxResting: 'number', // of the partition
  },
  returns: "{'resting'} {'fenced'} {'replayed', job id} {'conflict'} {'overloaded'} {'tenant-full', bytes of tenant}",
  uses: [inOnePlace, hasEnded, holding, addEvent, waitForPause, tell],
  lua: `
local lifeMs = math.max(0, lives - now) + ${recordLifeMs}
-- The hours of a tenant outlive every rest.
local function keepHours(key)
  if redis.call('PTTL', key) < lifeMs + 86400000 then redis.call('PEXPIRE', key, lifeMs + 86400000) end
end
local function create()
  if idempotency ~= '' then
    local id, print = string.match(redis.call('GET', slot .. idempotency) or '', '^(%S+) (%S+)$')
    if id and print ~= fingerprint then return {'conflict'} end
    if id and redis.call('EXISTS', slot .. 'invocation:' .. id) == 1 then
      redis.call('HINCRBY', slot .. 'invocation:' .. id, 'joined', 1)
      return {'replayed', id}
    end
  end
  if redis.call('ZCARD', restingKey) >= maxResting then return {'overloaded'} end
  local sum, hour = heldBytes(slot .. held, now, now + lifeMs)
  if sum + bytes > maxBytes then return {'tenant-full', sum} end
  hold(slot .. held, bytes, now + lifeMs)
  keepHours(slot .. held)
  redis.call('HSET', invocationKey, 'head', head, 'mac', mac, 'runs', 0, 'seq', 1, 'listeners', listener, 'bytes', bytes,
    'heldKey', slot .. held, 'heldHour', hour)
  if paced then redis.call('HSET', invocationKey, 'paced', '1') end
  if idempotency ~= '' then redis.call('SET', slot .. idempotency, jobId .. ' ' .. fingerprint, 'PX', lifeMs) end
end
local function leave()
  local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'heldKey', 'heldHour', 'bytes', 'steps',
    'knocked')
  if record[2] ~= attempt or hasEnded(record[1]) or record[1] == 'resting' then return {'fenced'} end
  if pause == '' and record[1] ~= 'active' then return {'fenced'} end
  if redis.call('GET', jobKey .. ':lock') ~= token or redis.call('LREM', activeKey, '-1', jobId) < 1 then return {'fenced'} end
  redis.call('DEL', jobKey, jobKey .. ':lock', jobKey .. ':logs')
  redis.call('SREM', stalledKey, jobId)
  redis.call('ZREM', openKey, jobId)
  if redis.call('HINCRBY', openByTenantKey, tenant, -1) <= 0 then redis.call('HDEL', openByTenantKey, tenant) end
  redis.call('ZREM', slot .. callerJobs, jobId)
  if record[3] then
    local hour = exchange(record[3], record[4], tonumber(record[5]), tonumber(record[5]), now + lifeMs)
    if hour then redis.call('HSET', invocationKey, 'heldHour', hour) end
    keepHours(record[3])
  end
  if record[7] then
    -- A hook was called that the handler may not have seen.
    ends = now
    redis.call('HDEL', invocationKey, 'knocked')
  end
  if record[6] then redis.call('PEXPIRE', slot .. 'steps:' .. jobId, lifeMs) end
  if passesFlow then redis.call('PUBLISH', notices, 'flow ' .. jobId) end
  if flight ~= '' and redis.call('GET', slot .. flight) == jobId then redis.call('PEXPIRE', slot .. flight, lifeMs) end
end

-- The client sends a command again when its connection broke before the reply.
if redis.call('HGET', invocationKey, 'restedBy') == write then return {'resting'} end
local refusal
if attempt == '' then refusal = create() else refusal = leave() end
if refusal then return refusal end
local seq = redis.call('HINCRBY', invocationKey, 'seq', 1)
redis.call('HSET', invocationKey, 'state', 'resting', 'deadline', ends + leftMs, 'rest', rest, 'leftMs', leftMs, 'restedBy', write,
  'lists', callerJobs .. ' ' .. callerResting)
redis.call('HINCRBY', invocationKey, 'rests', 1)
redis.call('PEXPIRE', invocationKey, lifeMs)
addEvent(seq, event)
redis.call('PEXPIRE', eventsKey, lifeMs)
redis.call('ZADD', restingKey, ends, jobId)
if pause ~= '' then joinPause(jobId, pause, now) end
redis.call('ZADD', slot .. callerResting, now, jobId)
if redis.call('PTTL', slot .. callerResting) < lifeMs then redis.call('PEXPIRE', slot .. callerResting, lifeMs) end
if told ~= '' then redis.call('XADD', outboxKey, '*', 'rest', told) end
local notice = 'new ' .. jobId
tell(redis.call('HGET', invocationKey, 'listeners'), notice, string.format('%s %d %d [%s]', notice, seq, now, event))
return {'resting'}`,
});
