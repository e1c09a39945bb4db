import { recordLifeMs } from '../redis/lives.js';
import { GroupScript } from '../redis/group-script.js';
import { holding } from './holding.js';
import { handOver, readOffer } from './offers.js';
import { pauseOf } from './pauses.js';
import { pushJobs, takeJobs, wakeWorker } from './queue-format.js';
import { rounds } from './rounds.js';
import { hasEnded, inOnePlace } from './shared.js';

/**
 * Accepts calls of a partition and enqueues their jobs, or finds the ones that answer them already. All or nothing, so two gateways cannot
 * race. Order: the caller's own idempotency key, the cache, a call in flight, the bounds on open work, a new call. A call of the group sees
 * what those before it have done. Names of keys that are a call's own are without the slot.
 */
export const accept = new GroupScript({
  keys: [
    'open',
    'openByTenant',
    'unqueued', // accepted, and still to be enqueued by the caller
    'cacheTrust', // since when cached answers are trusted
    'rounds', // the last round of each tenant and user
    // BullMQ's:
    'wait',
    'prioritized',
    'pc',
    'marker',
    'active',
    'delayed',
    'meta',
    'offer', // ours: free places of a worker
  ],
  args: {
    slot: 'text', // what names of keys begin with
    queuePrefix: 'text', // of BullMQ's keys
    maxOpen: 'number',
    maxOfTenant: 'number',
    reserve: 'number', // the last places of `maxOpen`, for tenants with at most `light` open calls
    light: 'number',
    concurrency: 'number', // open work from which on calls wait for each other
    listener: 'text', // the process that follows them from now on
    maxBytes: 'number', // of a tenant
    commonOpts: 'text', // JSON of a job's options, from the second on
    notices: 'text', // channel
    handed: 'text', // channel of a worker, without its id
  },
  own: {
    jobId: 'text',
    now: 'text',
    deadline: 'text',
    openMs: 'text', // how long its record lives while it is open
    head: 'text',
    mac: 'text',
    fingerprint: 'text',
    tenant: 'text',
    caller: 'text',
    callerJobs: 'text', // key
    held: 'text', // key: bytes that the tenant holds
    idempotency: 'text', // key, or ''
    flight: 'text', // key, or '': later equal calls join this one
    cache: 'text', // key, or ''
    joinsFlight: 'flag',
    readsCache: 'flag',
    bytes: 'text', // that the call takes while it is open
    maxAhead: 'number', // of the calls that may be taken up before it; below 0 for one that may only find its answer
    enqueues: 'flag', // false where the caller enqueues the job
    jobName: 'text',
    jobData: 'text',
    attempts: 'text', // that the job may have
    ownPriority: 'number', // rounds that the tool's own priority puts it back
    paced: 'flag', // gateways are told when it begins to run
  },
  returns:
    "{'created', round} {'replayed', job id} {'joined', job id} {'conflict'} {'cached', entry, ms left} " +
    "{'overloaded', open} {'tenant-overloaded', open of tenant} {'tenant-full', bytes of tenant} {'too-late', calls before it}",
  uses: [inOnePlace, hasEnded, holding, pushJobs, wakeWorker, readOffer, pauseOf, takeJobs, handOver],
  before: `
local open, trustedSince = redis.call('ZCARD', openKey), nil
-- Nothing is open, so no tenant holds anything and rounds begin anew: a miscount cannot outlive the work.
if open == 0 then redis.call('DEL', openByTenantKey, roundsKey) end
local opened, jobsOfCaller, addedOf, countedOf, holds = {}, {}, {}, {}, {}

-- The client sends a command again when its connection broke before the reply: what was accepted stays accepted.
local records = eachOwn('jobId')
for n, id in ipairs(records) do records[n] = slot .. 'invocation:' .. id end
local isSentAgain, created = redis.call('EXISTS', unpack(records)) > 0, {}

-- A second waiter may have a later deadline than the first. That of a call at rest counts from its end.
local function join(id, deadline, openMs)
  local key = slot .. 'invocation:' .. id
  local record = redis.call('HMGET', key, 'state', 'deadline')
  if not record[1] then return false end
  if record[1] ~= 'resting' and not hasEnded(record[1]) and tonumber(record[2]) < tonumber(deadline) then
    redis.call('HSET', key, 'deadline', deadline)
    opened[#opened + 1], opened[#opened + 2] = deadline, id
    redis.call('PEXPIRE', key, openMs)
    redis.call('PEXPIRE', slot .. 'events:' .. id, openMs)
  end
  redis.call('HINCRBY', key, 'joined', 1)
  return true
end

local function openOf(tenant)
  countedOf[tenant] = countedOf[tenant] or tonumber(redis.call('HGET', openByTenantKey, tenant) or '0')
  return countedOf[tenant] + (addedOf[tenant] or 0)
end

-- What the tenant holds, and what is given back in the hour that begins at or after a time.
local function holdOf(name, now, untilMs)
  local hold = holds[name]
  if not hold then
    local sum, hour, ofHour = heldBytes(slot .. name, now, untilMs)
    hold = {sum = sum, hours = {[hour] = ofHour}, isChanged = false}
    holds[name] = hold
  end
  local hour = math.ceil(untilMs / 3600000)
  hold.hours[hour] = hold.hours[hour] or tonumber(redis.call('HGET', slot .. name, hour) or '0')
  return hold, hour
end

${rounds}`,
  one: `
local key = slot .. 'invocation:' .. jobId
if created[jobId] or isSentAgain and redis.call('EXISTS', key) == 1 then return {'created', 0} end
if idempotency ~= '' then
  local known = redis.call('GET', slot .. idempotency)
  if known then
    local id, print = string.match(known, '^(%S+) (%S+)$')
    if print ~= fingerprint then return {'conflict'} end
    if join(id, deadline, openMs) then return {'replayed', id} end
  end
end
if readsCache then
  local entry = redis.call('GET', slot .. cache)
  trustedSince = entry and (trustedSince or tonumber(redis.call('GET', cacheTrustKey) or '0')) or trustedSince
  if entry and tonumber(string.match(entry, '"cachedAt":(%d+)') or '0') >= trustedSince then
    return {'cached', entry, redis.call('PTTL', slot .. cache)}
  end
end
if joinsFlight then
  local id = redis.call('GET', slot .. flight)
  if id and join(id, deadline, openMs) then return {'joined', id} end
end
if maxAhead < 0 then return {'too-late', 0} end
if open >= maxOpen then return {'overloaded', open} end
local openOfTenant = openOf(tenant) + 1
if openOfTenant > maxOfTenant then return {'tenant-overloaded', openOfTenant - 1} end
if openOfTenant > light and open >= maxOpen - reserve then return {'overloaded', open} end
local hold, hour = holdOf(held, now, now + openMs)
if hold.sum + bytes > maxBytes then return {'tenant-full', hold.sum} end
local round, places = nextRound(tenant, caller, maxAhead, ownPriority)
if not round then return {'too-late', places} end
redis.call('HSET', key, 'head', head, 'mac', mac, 'state', 'waiting', 'deadline', deadline, 'runs', '0', 'seq', '1',
  'listeners', listener, 'bytes', bytes, 'heldKey', slot .. held, 'heldHour', hour)
if paced then redis.call('HSET', key, 'paced', '1') end
redis.call('PEXPIRE', key, openMs)
if enqueues then pushJob(jobId, jobName, jobData, attempts, now, round + ownPriority) else redis.call('ZADD', unqueuedKey, now, jobId) end
if idempotency ~= '' then redis.call('SET', slot .. idempotency, jobId .. ' ' .. fingerprint, 'PX', ${recordLifeMs}) end
if flight ~= '' then redis.call('SET', slot .. flight, jobId, 'PX', openMs) end
created[jobId], open, addedOf[tenant] = true, open + 1, (addedOf[tenant] or 0) + 1
opened[#opened + 1], opened[#opened + 2] = deadline, jobId
hold.sum, hold.hours[hour], hold.isChanged = hold.sum + bytes, hold.hours[hour] + bytes, true
takeRound(places)
local list = jobsOfCaller[callerJobs] or {}
list[#list + 1], list[#list + 2] = now, jobId
jobsOfCaller[callerJobs] = list
return {'created', round}`,
  after: `
if #opened > 0 then redis.call('ZADD', openKey, unpack(opened)) end
for tenant, added in pairs(addedOf) do redis.call('HINCRBY', openByTenantKey, tenant, added) end
for name, hold in pairs(holds) do
  if hold.isChanged then
    local fields = {'sum', hold.sum}
    for hour, ofHour in pairs(hold.hours) do fields[#fields + 1], fields[#fields + 2] = hour, ofHour end
    redis.call('HSET', slot .. name, unpack(fields))
  end
end
for name, list in pairs(jobsOfCaller) do
  redis.call('ZADD', slot .. name, unpack(list))
  -- Readers look at the last day alone, so what is older may stay a while: one call in 16 takes it away.
  for n = 2, #list, 2 do
    if string.sub(list[n], -1) == '0' then redis.call('ZREMRANGEBYSCORE', slot .. name, '-inf', list[n - 1] - ${recordLifeMs}) end
  end
  redis.call('PEXPIRE', slot .. name, ${recordLifeMs})
end
writeRounds()
if pushAll() and not handOver(eachOwn('now')[1]) then wakeWorker() end`,
});
