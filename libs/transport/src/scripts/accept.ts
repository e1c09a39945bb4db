import { Script } from '../script.js';
import { holding } from './holding.js';
import { pushJob } from './queue-format.js';
import { hasEnded } from './shared.js';

/** BullMQ takes priorities up to 2,097,152, a tool's own included. From here on calls are taken up in the order they came. */
const mostRounds = 2_000_000;
/** After this many, rounds begin anew where nobody waits: what is kept of each user is then forgotten. */
const manyRounds = 100_000;

/**
 * Accepts an invocation and enqueues its job, or finds the one that answers it already. All or nothing, so two gateways cannot race.
 * Order: the caller's own idempotency key, the cache, a run in flight, the bounds on open work, a new invocation.
 */
export const accept = new Script({
  keys: [
    'invocation',
    'events',
    'open',
    'openByTenant',
    'unqueued', // accepted, and still to be enqueued by the caller
    'callerJobs',
    'idempotency',
    'flight',
    'cache',
    'cacheTrust', // since when cached answers are trusted
    'rounds', // the last round of each tenant and user
    'held', // bytes that the tenant holds
    // BullMQ's:
    'job',
    'wait',
    'prioritized',
    'pc',
    'marker',
  ],
  args: {
    jobId: 'text',
    now: 'number',
    deadline: 'number',
    head: 'text',
    mac: 'text',
    fingerprint: 'text',
    tenant: 'text',
    caller: 'text',
    maxOpen: 'number',
    maxOfTenant: 'number',
    reserve: 'number', // the last places of `maxOpen`, for tenants with at most `light` open calls
    light: 'number',
    maxAhead: 'number', // of the calls that may be taken up before it
    openMs: 'number', // life of an open record
    listMs: 'number', // life of the caller's list of jobs
    hasIdempotencyKey: 'flag',
    idempotencyMs: 'number',
    joinsFlight: 'flag',
    makesFlight: 'flag', // later equal calls join this one
    readsCache: 'flag',
    concurrency: 'number', // open work from which on calls wait for each other
    listener: 'text', // the process that follows it from now on
    bytes: 'number', // that the call takes while it is open
    maxBytes: 'number', // of the tenant
    jobName: 'text',
    jobData: 'text',
    jobOpts: 'text', // JSON without the priority, or '' when the caller enqueues the job
    ownPriority: 'number', // rounds that the tool's own priority puts it back
  },
  returns:
    "{'created', round} {'replayed', job id} {'joined', job id} {'conflict'} {'cached', entry, ms left} " +
    "{'overloaded', open} {'tenant-overloaded', open of tenant} {'tenant-full', bytes of tenant} {'too-late', calls before it}",
  uses: [hasEnded, holding, pushJob],
  lua: `
-- A second waiter may have a later deadline than the first.
local function join(id)
  local key = string.sub(invocationKey, 1, -string.len(jobId) - 1) .. id
  local record = redis.call('HMGET', key, 'state', 'deadline')
  if not record[1] then return false end
  if not hasEnded(record[1]) and tonumber(record[2]) < deadline then
    redis.call('HSET', key, 'deadline', deadline)
    redis.call('ZADD', openKey, deadline, id)
    redis.call('PEXPIRE', key, openMs)
    redis.call('PEXPIRE', string.sub(eventsKey, 1, -string.len(jobId) - 1) .. id, openMs)
  end
  redis.call('HINCRBY', key, 'joined', 1)
  return true
end
-- The client sends a command again when its connection broke before the reply: what was accepted stays accepted.
if redis.call('EXISTS', invocationKey) == 1 then return {'created', 0} end
if hasIdempotencyKey then
  local held = redis.call('GET', idempotencyKey)
  if held then
    local id, print = string.match(held, '^(%S+) (%S+)$')
    if print ~= fingerprint then return {'conflict'} end
    if join(id) then return {'replayed', id} end
  end
end
if readsCache then
  local entry = redis.call('GET', cacheKey)
  local trustedSince = entry and tonumber(redis.call('GET', cacheTrustKey) or '0')
  if entry and tonumber(string.match(entry, '"cachedAt":(%d+)') or '0') >= trustedSince then
    return {'cached', entry, redis.call('PTTL', cacheKey)}
  end
end
if joinsFlight then
  local id = redis.call('GET', flightKey)
  if id and join(id) then return {'joined', id} end
end
local open = redis.call('ZCARD', openKey)
-- Nothing is open, so no tenant holds anything and rounds begin anew: a miscount cannot outlive the work.
if open == 0 then redis.call('DEL', openByTenantKey, roundsKey) end
if open >= maxOpen then return {'overloaded', open} end
local function refused(...)
  if redis.call('HINCRBY', openByTenantKey, tenant, -1) <= 0 then redis.call('HDEL', openByTenantKey, tenant) end
  return {...}
end
local openOfTenant = redis.call('HINCRBY', openByTenantKey, tenant, 1)
if openOfTenant > maxOfTenant then return refused('tenant-overloaded', openOfTenant - 1) end
if openOfTenant > light and open >= maxOpen - reserve then return refused('overloaded', open) end
local held, heldHour, ofHour = heldBytes(heldKey, now, now + openMs)
if held + bytes > maxBytes then return refused('tenant-full', held) end
-- Calls wait for each other in rounds. In each round a tenant has two places: one for a user with nothing queued in a later
-- round, and one for anyone. Round 0 is for calls that need not wait.
local userPlace, lightPlace, place = 'user ' .. caller, 'light ' .. tenant, 'tenant ' .. tenant
local highest, round = 1, 0
if open >= concurrency then
  local last = redis.call('HMGET', roundsKey, 'highest', userPlace, place, lightPlace)
  highest = tonumber(last[1] or '1')
  local first = redis.call('ZRANGE', prioritizedKey, 0, 0, 'WITHSCORES')
  if first[2] then
    local current, ofUser, taken = math.floor(tonumber(first[2]) / 0x100000000), tonumber(last[2] or '0'), last[3]
    if ofUser < current then place, taken = lightPlace, last[4] end
    round = math.min(math.max(current, ofUser, tonumber(taken or '0') + 1), ${mostRounds})
    if open > maxAhead then
      local ahead = redis.call('ZCOUNT', prioritizedKey, '-inf', string.format('(%.0f', (round + ownPriority + 1) * 0x100000000))
      if ahead > maxAhead then return refused('too-late', ahead) end
    end
  else
    -- Nobody waits, so all stand at the same round. Not at the first: what was accepted a moment ago is still on its way.
    if highest > ${manyRounds} then
      redis.call('DEL', roundsKey)
      highest = 1
    end
    round = highest
  end
end
redis.call('HSET', heldKey, heldHour, ofHour + bytes, 'sum', held + bytes)
redis.call('HSET', invocationKey, 'head', head, 'mac', mac, 'state', 'waiting', 'deadline', deadline, 'runs', 0, 'seq', 1,
  'listeners', listener, 'bytes', bytes, 'heldKey', heldKey, 'heldHour', heldHour)
redis.call('PEXPIRE', invocationKey, openMs)
redis.call('ZADD', openKey, deadline, jobId)
redis.call('ZADD', callerJobsKey, now, jobId)
-- Readers look at the last day alone, so what is older may stay a while: one call in 16 takes it away.
if string.sub(jobId, -1) == '0' then redis.call('ZREMRANGEBYSCORE', callerJobsKey, '-inf', now - listMs) end
redis.call('PEXPIRE', callerJobsKey, listMs)
if hasIdempotencyKey then redis.call('SET', idempotencyKey, jobId .. ' ' .. fingerprint, 'PX', idempotencyMs) end
if makesFlight then redis.call('SET', flightKey, jobId, 'PX', openMs) end
if round > 0 then redis.call('HSET', roundsKey, 'highest', math.max(highest, round), userPlace, round, place, round) end
if jobOpts ~= '' then pushJob(jobId, round + ownPriority) else redis.call('ZADD', unqueuedKey, now, jobId) end
return {'created', round}`,
});
