import { GroupScript } from '../redis/group-script.js';
import { openLifeMs, recordLifeMs } from '../redis/lives.js';
import { holding } from './holding.js';
import { pushJobs, wakeWorker } from './queue-format.js';
import { waitForPause } from './pauses.js';
import { rounds } from './rounds.js';
import { inOnePlace, leaveRest, tell } from './shared.js';

/**
 * The way out of rest: puts calls back as `accept` does, in turn, and finds nothing the second time. A call is fenced by the number of its
 * rest, so that who is late for one rest does not end the next. One that is approved before its time goes from this rest into the next.
 */
export const wakeCalls = new GroupScript({
  keys: [
    'resting',
    'unplaced', // calls that have to pass a flow
    'open',
    'openByTenant',
    'rounds', // the last round of each tenant and user
    // BullMQ's:
    'wait',
    'prioritized',
    'pc',
    'marker',
  ],
  args: {
    slot: 'text', // what names of keys begin with
    queuePrefix: 'text', // of BullMQ's keys
    notices: 'text', // channel, and what begins those of each listener
    concurrency: 'number', // open work from which on calls wait for each other
    commonOpts: 'text', // JSON of a job's options, from the second on
    now: 'number',
  },
  own: {
    jobId: 'text',
    rest: 'text', // its number
    since: 'number', // when it began
    event: 'text',
    write: 'text', // name of this write: one that is sent again is found there
    decision: 'text', // of whoever wakes it, or ''
    head: 'text', // with other parameters, or '' to keep them
    mac: 'text', // of that
    moreBytes: 'number', // that it takes then
    again: 'text', // what the record has of the rest that follows, or ''
    ends: 'number', // when that ends by itself
    tenant: 'text',
    caller: 'text',
    jobName: 'text',
    jobData: 'text',
    attempts: 'text', // that the job may have
    ownPriority: 'number', // rounds that the tool's own priority puts it back
  },
  returns: "'woken' 'late' it rests no more, or rests again, or rests for a decision and there is none; 'unknown' no record",
  uses: [inOnePlace, holding, leaveRest, waitForPause, pushJobs, wakeWorker, tell],
  before: `
local open = redis.call('ZCARD', openKey)
-- As \`accept\` does it.
if open == 0 then redis.call('DEL', openByTenantKey, roundsKey) end
${rounds}`,
  one: `
local key = slot .. 'invocation:' .. jobId
local record = redis.call('HMGET', key, 'state', 'rests', 'leftMs', 'wokenBy', 'listeners', 'heldKey', 'heldHour', 'bytes', 'lists', 'runs',
  'steps', 'rest')
if record[1] ~= 'resting' or record[2] ~= rest then
  if record[1] ~= 'resting' then redis.call('ZREM', restingKey, jobId) end
  if record[4] == write then return 'woken' end
  return record[1] and 'late' or 'unknown'
end
-- Nothing but a decision lets a call run that rests for one.
if decision == '' and string.find(record[12], '"reason":"approval"', 1, true) then return 'late' end
local leftMs = tonumber(record[3])
-- A record lives for its last rest from the beginning.
local lifeMs = again ~= '' and math.max(redis.call('PTTL', key), ends - now + ${recordLifeMs}) or math.min(${openLifeMs}, leftMs + ${recordLifeMs})
local seq = redis.call('HINCRBY', key, 'seq', 1)
redis.call('HSET', key, 'wokenBy', write)
redis.call('HINCRBY', key, 'restedMs', math.max(0, math.floor(now - since)))
if decision ~= '' then redis.call('HSET', key, 'decision', decision) end
if head ~= '' then redis.call('HSET', key, 'head', head, 'mac', mac) end
if record[6] then
  local had = tonumber(record[8])
  local has = had + moreBytes
  local hour = exchange(record[6], record[7], had, has, now + lifeMs)
  if hour then redis.call('HSET', key, 'heldHour', hour, 'bytes', has) end
end
redis.call('XADD', slot .. 'events:' .. jobId, string.format('%d-0', seq), 'at', now, 'event', event)
redis.call('PEXPIRE', slot .. 'events:' .. jobId, lifeMs)
local notice = string.format('new %s %d %d [%s]', jobId, seq, now, event)
if again ~= '' then
  redis.call('HSET', key, 'rest', again, 'deadline', ends + leftMs)
  redis.call('HINCRBY', key, 'rests', 1)
  redis.call('ZADD', restingKey, ends, jobId)
  redis.call('PEXPIRE', key, lifeMs)
  leavePause(jobId, record[12])
  if string.sub(again, 1, 16) == '{"reason":"flow"' then
    redis.call('ZADD', unplacedKey, now, jobId)
    redis.call('PUBLISH', notices, 'flow ' .. jobId)
  end
  tell(record[5], 'new ' .. jobId, notice)
  return 'woken'
end
redis.call('HSET', key, 'state', 'waiting', 'deadline', now + leftMs)
if record[10] == '0' then redis.call('HSET', key, 'readyAt', now) end
redis.call('PEXPIRE', key, lifeMs)
if record[11] then redis.call('PEXPIRE', slot .. 'steps:' .. jobId, lifeMs) end
leaveRest(jobId, record[9], now)
leavePause(jobId, record[12])
redis.call('ZADD', openKey, now + leftMs, jobId)
redis.call('HINCRBY', openByTenantKey, tenant, 1)
local round, places = nextRound(tenant, caller, 2 ^ 53, ownPriority)
pushJob(jobId, jobName, jobData, attempts, now, round + ownPriority)
takeRound(places)
open = open + 1
tell(record[5], 'new ' .. jobId, notice)
return 'woken'`,
  after: `
writeRounds()
if pushAll() then wakeWorker() end`,
});
