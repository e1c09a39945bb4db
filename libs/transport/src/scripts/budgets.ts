import { Script } from '../redis/script.js';

/**
 * What budgets count, by Redis key: `known` has the counters that were once filled, `held` the calls whose end has not been counted, and
 * `<counter>:<start of the period>` of each budget
 *  - `m` and `c`: millionths of a US dollar and calls of calls that have ended
 *  - `hm` and `hc`: the same, held for calls that are open
 *  - `t:<tool>`: a tool without a cost in its contract has reported one
 *  - `w`: the job that passed the share from which on it warns, or `told`
 *  - `x`: `0` once a call was refused, or `told`
 * All of a tenant are in one slot, so one script holds room in every budget of a call, or in none.
 */

/** `expireAt(key, at)`: PEXPIREAT in words for which the users of Redis have the rights. Who sets no time asks for none. @param at epoch ms */
const expireAt = `
local time
local function expireAt(key, at)
  time = time or redis.call('TIME')
  redis.call('PEXPIRE', key, string.format('%.0f', tonumber(at) - tonumber(time[1]) * 1000 - math.floor(tonumber(time[2]) / 1000)))
end`;

/** How many fields one budget has among the further arguments of `reserve`. */
const fieldsOfBudget = 7;

/** Holds room for a call in each of its budgets, or says which one has none. */
export const reserve = new Script({
  keys: ['known', 'held'],
  args: {
    slot: 'text', // what names of keys begin with
    jobId: 'text',
    now: 'text', // epoch ms
    tool: 'text', // its name, without spaces
    micros: 'text', // what the call costs by its contract
    priced: 'flag', // whether the contract says anything of costs
  },
  moreArgs: 'of', // of each budget: counter, start, end of its keys, limit in micros or '', limit of calls or '', and from where each warns
  returns: "{'held', places of budgets that warn now...} {'unknown', place} {'full', place, micros, calls, 1 the first time}",
  uses: [expireAt],
  lua: `
if redis.call('HEXISTS', heldKey, jobId) == 1 then return {'held'} end
local keys, cost = {}, tonumber(micros)
for n = 1, #of, ${fieldsOfBudget} do
  local place = (n - 1) / ${fieldsOfBudget}
  if redis.call('HEXISTS', knownKey, of[n]) == 0 then return {'unknown', place} end
  keys[place] = slot .. of[n] .. ':' .. of[n + 1]
end
local used, costs = {}, {}
for n = 1, #of, ${fieldsOfBudget} do
  local place = (n - 1) / ${fieldsOfBudget}
  local v = redis.call('HMGET', keys[place], 'm', 'hm', 'c', 'hc')
  local money, calls = tonumber(v[1] or '0') + tonumber(v[2] or '0'), tonumber(v[3] or '0') + tonumber(v[4] or '0')
  local mostMoney, mostCalls = tonumber(of[n + 3]), tonumber(of[n + 4])
  costs[place] = priced or redis.call('HEXISTS', keys[place], 't:' .. tool) == 1
  local isSpent = mostMoney and (money + cost > mostMoney or (cost == 0 and money >= mostMoney))
  if (costs[place] and isSpent) or (mostCalls and calls + 1 > mostCalls) then
    local first = redis.call('HSETNX', keys[place], 'x', '0')
    if first == 1 then expireAt(keys[place], of[n + 2]) end
    return {'full', place, string.format('%.0f', money), string.format('%.0f', calls), first}
  end
  used[place] = {money + cost, calls + 1}
end
local reply, parts = {'held'}, {now}
for n = 1, #of, ${fieldsOfBudget} do
  local place = (n - 1) / ${fieldsOfBudget}
  local key = keys[place]
  redis.call('HINCRBY', key, 'hm', micros)
  redis.call('HINCRBY', key, 'hc', 1)
  expireAt(key, of[n + 2])
  parts[#parts + 1] = of[n] .. ':' .. of[n + 1]
  local fromMoney, fromCalls = tonumber(of[n + 5]), tonumber(of[n + 6])
  if (fromMoney and costs[place] and used[place][1] >= fromMoney) or (fromCalls and used[place][2] >= fromCalls) then
    if redis.call('HSETNX', key, 'w', jobId) == 1 then reply[#reply + 1] = place end
  end
end
redis.call('HSET', heldKey, jobId, micros .. ' ' .. table.concat(parts, ' ') .. (priced and '' or ' t:' .. tool))
return reply`,
});

/** Counts what is held for a call as spent, or gives it back. Who takes it out of `held` does so, and no other. */
export const settle = new Script({
  keys: ['held'],
  args: {
    slot: 'text',
    jobId: 'text',
    ran: 'flag', // false: nothing was spent
    micros: 'text', // that were spent
  },
  returns: '1, or 0 where nothing is held for it',
  lua: `
local text = redis.call('HGET', heldKey, jobId)
if not text then return 0 end
redis.call('HDEL', heldKey, jobId)
local heldMicros, rest = string.match(text, '^(%d+) %d+(.*)$')
local unpriced = string.match(rest, ' (t:%S+)$')
for name in string.gmatch(rest, '%S+') do
  local key = slot .. name
  if redis.call('EXISTS', key) == 1 then
    -- Redis knows no -0.
    if heldMicros ~= '0' then redis.call('HINCRBY', key, 'hm', '-' .. heldMicros) end
    redis.call('HINCRBY', key, 'hc', -1)
    if ran then
      redis.call('HINCRBY', key, 'm', micros)
      redis.call('HINCRBY', key, 'c', 1)
      if unpriced and micros ~= '0' then redis.call('HSET', key, unpriced, '1') end
    elseif redis.call('HGET', key, 'w') == jobId then
      redis.call('HDEL', key, 'w')
    end
  end
end
return 1`,
});

/** How many fields one budget has among the further arguments of `count`. */
const fieldsOfCounted = 5;

/** Counts what was spent without room that was held for it, once, in each budget that is filled. */
export const count = new Script({
  keys: ['known', 'mark'],
  args: {
    slot: 'text',
    jobId: 'text',
    micros: 'text',
    markMs: 'number', // how long it is remembered that it is counted
  },
  moreArgs: 'of', // of each budget: counter, start, end of its keys, and from where each of its limits warns, or ''
  returns: '1, or 0 where it was counted before',
  uses: [expireAt],
  lua: `
if not redis.call('SET', markKey, '1', 'NX', 'PX', markMs) then return 0 end
for n = 1, #of, ${fieldsOfCounted} do
  if redis.call('HEXISTS', knownKey, of[n]) == 1 then
    local key = slot .. of[n] .. ':' .. of[n + 1]
    local money, calls = redis.call('HINCRBY', key, 'm', micros), redis.call('HINCRBY', key, 'c', 1)
    expireAt(key, of[n + 2])
    local fromMoney, fromCalls = tonumber(of[n + 3]), tonumber(of[n + 4])
    if (fromMoney and micros ~= '0' and money >= fromMoney) or (fromCalls and calls >= fromCalls) then
      redis.call('HSETNX', key, 'w', jobId)
    end
  end
end
return 1`,
});

/** Fills a counter from what the history has, once. */
export const fill = new Script({
  keys: ['known', 'period'],
  args: {
    counter: 'text',
    micros: 'text',
    calls: 'text',
    keptUntil: 'text', // end of the key, epoch ms
  },
  returns: '1, or 0 where it was there',
  uses: [expireAt],
  lua: `
if redis.call('HSETNX', knownKey, counter, '1') == 0 then return 0 end
redis.call('HSET', periodKey, 'm', micros, 'c', calls)
expireAt(periodKey, keptUntil)
return 1`,
});
