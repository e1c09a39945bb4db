import { Script } from '../script.js';

/** BullMQ takes priorities up to 2,097,152, a tool's own included. From here on calls are taken up in the order they came. */
const mostRounds = 2_000_000;
/** After so many, rounds begin anew where nobody waits: what is kept of each user is then forgotten. */
const manyRounds = 100_000;

/**
 * Lets an invocation in, or finds the one that answers it already. All or nothing, so two gateways cannot race.
 * Order: the caller's own idempotency key, the cache, a run in flight, the bounds on open work, a new invocation.
 */
export const accept = new Script(`
-- KEYS  1 invocation  2 events  3 open  4 open-by-tenant  5 caller's jobs  6 idempotency  7 flight  8 cache
--       9 since when cached answers are trusted  10 last rounds of tenants and users  11 BullMQ's waiting jobs with a priority
-- ARGV  1 job id  2 now  3 deadline  4 head  5 mac  6 first event  7 fingerprint  8 tenant  9 max open  10 max of tenant
--       11 record life in ms  12 idempotency life in ms  13 use idempotency  14 use flight: 1 joins one, 2 replaces it  15 use cache  16 caller list life in ms
--       17 open work from which on calls wait for each other  18 caller
-- GIVES {'created', round} {'replayed', job id} {'joined', job id} {'conflict'} {'cached', entry, ms left}
--       {'overloaded', open} {'tenant-overloaded', open of tenant}
local function ended(key)
  local state = redis.call('HGET', key, 'state')
  return state == 'completed' or state == 'failed' or state == 'cancelled'
end
-- A second waiter may have a later deadline than the first.
local function extend(id)
  local key = string.sub(KEYS[1], 1, -string.len(ARGV[1]) - 1) .. id
  if redis.call('EXISTS', key) == 0 then return false end
  if not ended(key) and tonumber(redis.call('HGET', key, 'deadline')) < tonumber(ARGV[3]) then
    redis.call('HSET', key, 'deadline', ARGV[3])
    redis.call('ZADD', KEYS[3], ARGV[3], id)
  end
  redis.call('HINCRBY', key, 'joined', 1)
  return true
end
-- The client sends a command again when its connection broke before the reply: what was let in is let in.
if redis.call('EXISTS', KEYS[1]) == 1 then return {'created', 0} end
if ARGV[13] == '1' then
  local held = redis.call('GET', KEYS[6])
  if held then
    local id, print = string.match(held, '^(%S+) (%S+)$')
    if print ~= ARGV[7] then return {'conflict'} end
    if extend(id) then return {'replayed', id} end
  end
end
if ARGV[15] == '1' then
  local entry = redis.call('GET', KEYS[8])
  local trusted = tonumber(redis.call('GET', KEYS[9]) or '0')
  if entry and tonumber(string.match(entry, '"cachedAt":(%d+)') or '0') >= trusted then
    return {'cached', entry, redis.call('PTTL', KEYS[8])}
  end
end
if ARGV[14] == '1' then
  local id = redis.call('GET', KEYS[7])
  if id and extend(id) then return {'joined', id} end
end
local open = redis.call('ZCARD', KEYS[3])
-- Nothing is open, so no tenant holds anything and rounds begin anew: a miscount cannot outlive the work.
if open == 0 then redis.call('DEL', KEYS[4], KEYS[10]) end
if open >= tonumber(ARGV[9]) then return {'overloaded', open} end
local mine = tonumber(redis.call('HGET', KEYS[4], ARGV[8]) or '0')
if mine >= tonumber(ARGV[10]) then return {'tenant-overloaded', mine} end
redis.call('HSET', KEYS[1], 'head', ARGV[4], 'mac', ARGV[5], 'state', 'waiting', 'deadline', ARGV[3], 'runs', 0, 'seq', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[11])
redis.call('XADD', KEYS[2], '1-0', 'at', ARGV[2], 'event', ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[11])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('HINCRBY', KEYS[4], ARGV[8], 1)
redis.call('ZADD', KEYS[5], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', tonumber(ARGV[2]) - tonumber(ARGV[16]))
redis.call('PEXPIRE', KEYS[5], ARGV[16])
if ARGV[13] == '1' then redis.call('SET', KEYS[6], ARGV[1] .. ' ' .. ARGV[7], 'PX', ARGV[12]) end
if ARGV[14] ~= '0' then redis.call('SET', KEYS[7], ARGV[1], 'PX', ARGV[11]) end
-- Calls wait for each other in rounds. Every tenant has two places in each: one for a user of whom nothing else waits for a
-- later round, one for anybody. Round 0 is for calls that need not wait.
local round = 0
if open >= tonumber(ARGV[17]) then
  local user, anybody, light = 'user ' .. ARGV[18], 'tenant ' .. ARGV[8], 'light ' .. ARGV[8]
  local last = redis.call('HMGET', KEYS[10], 'highest', user, anybody, light)
  local highest = tonumber(last[1] or '1')
  local place = anybody
  local first = redis.call('ZRANGE', KEYS[11], 0, 0, 'WITHSCORES')
  if first[2] then
    local current, own = math.floor(tonumber(first[2]) / 0x100000000), tonumber(last[2] or '0')
    local taken = last[3]
    if own < current then place, taken = light, last[4] end
    round = math.min(math.max(current, own, tonumber(taken or '0') + 1), ${mostRounds})
  else
    -- Nobody waits, so all stand at the same round. Not at the first: what was accepted a moment ago is still on its way.
    if highest > ${manyRounds} then
      redis.call('DEL', KEYS[10])
      highest = 1
    end
    round = highest
  end
  redis.call('HSET', KEYS[10], 'highest', math.max(highest, round), user, round, place, round)
end
return {'created', round}
`);
