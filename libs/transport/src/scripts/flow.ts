import { Script } from '../redis/script.js';
import { inOnePlace } from './shared.js';

/**
 * Lines of flows. All are in one slot, so one script takes a place in every line of a call, or in none:
 *  - `flow:<flow>`: its bounds: `c` calls at a time, `m` calls in `p` ms; `n`, the number under which they were read; `d`, that under which its lines were looked at
 *  - `held:<line>`: the calls that have a place; `idle:<line>`: those of them that have not begun to run, where the flow has a rate; `starts:<line>`: when
 *    the last `m` began, in ms, the newest first. So a call counts in the rate from its place on, however long it waits for a worker then
 *  - `line:<line>`: the calls that wait, by round; `rounds:<line>`: the last round of each tenant, and under '' that of the last that left
 *  - `call:<job>`: its `lines`, its `tenant`, `at`, the line in which it waits, or '', `since`, when it asked first, and `turn`, how often it asked
 *  - `all`: the calls, by when somebody looks whether they are still there; `due`: lines, by when their rate lets the next one go
 *  - `waiting`: how many calls wait in the lines of each flow; `lines:<flow>`: the lines in which some do
 * A line is named by its flow and a hash of its key: `<flow>/<hash>`.
 */
export const keysOfFlow = ['all', 'due', 'waiting'] as const;

/** How many fields one line has among the further arguments of `enter`. */
export const fieldsOfLine = 5;

/** Somebody looks whether a call is still there that has a place, or that waits. */
export const lookHeldMs = 10_000;
export const lookWaitingMs = 300_000;
/** What is kept of a flow and of its rounds: longer than a call waits. */
const keptMs = 3 * 86_400_000;
/** The calls that one script lets go; the others follow at once. */
const mostSteps = 100;

const lines = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local granted, bounds, steps, nextDue = {}, {}, 0, nil

local function flowOf(line) return string.match(line, '^(.*)/[^/]*$') end
local function each(text)
  local list = {}
  for line in string.gmatch(text, '%S+') do list[#list + 1] = line end
  return list
end
local function boundsOf(line)
  local flow = flowOf(line)
  if not bounds[flow] then
    local of = redis.call('HMGET', slot .. 'flow:' .. flow, 'c', 'm', 'p')
    bounds[flow] = {most = tonumber(of[1] or ''), max = tonumber(of[2] or ''), perMs = tonumber(of[3] or '')}
  end
  return bounds[flow]
end
-- When the line lets a call go: 0 for now, or in ms; infinity for when another call ends.
local function freeAt(line)
  local of = boundsOf(line)
  if of.most and redis.call('SCARD', slot .. 'held:' .. line) >= of.most then return math.huge end
  if not of.max then return 0 end
  local idle = redis.call('SCARD', slot .. 'idle:' .. line)
  if idle >= of.max then return math.huge end
  local first = redis.call('LINDEX', slot .. 'starts:' .. line, of.max - idle - 1)
  if first and tonumber(first) + of.perMs > now then return tonumber(first) + of.perMs end
  return 0
end
local function isDue(line, at)
  redis.call('ZADD', dueKey, string.format('%.3f', at), line)
  if not nextDue or at < nextDue then nextDue = at end
end
local function takePlaces(id, lines)
  for _, line in ipairs(lines) do
    redis.call('SADD', slot .. 'held:' .. line, id)
    if boundsOf(line).max then redis.call('SADD', slot .. 'idle:' .. line, id) end
  end
  redis.call('HSET', slot .. 'call:' .. id, 'at', '')
  redis.call('ZADD', allKey, now + ${lookHeldMs}, id)
end
-- From now on it counts in the rate by the time, and no more because it has not begun.
local function count(id, line)
  if redis.call('SREM', slot .. 'idle:' .. line, id) == 0 then return end
  local of, starts = boundsOf(line), slot .. 'starts:' .. line
  if not of.max then return end
  redis.call('LPUSH', starts, string.format('%.3f', now))
  redis.call('LTRIM', starts, 0, of.max - 1)
  redis.call('PEXPIRE', starts, math.ceil(of.perMs) + 1000)
end
-- Calls of a line take turns by tenant. One that comes from another line has waited there: it is before all others.
local function join(id, line, tenant, isMoved)
  local round = 0
  if not isMoved then
    local rounds = slot .. 'rounds:' .. line
    local last = redis.call('HMGET', rounds, '', tenant)
    round = math.max(tonumber(last[1] or '0'), tonumber(last[2] or '0')) + 1
    redis.call('HSET', rounds, tenant, round)
    redis.call('PEXPIRE', rounds, ${keptMs})
  end
  redis.call('ZADD', slot .. 'line:' .. line, round, id)
  redis.call('HSET', slot .. 'call:' .. id, 'at', line)
  redis.call('HINCRBY', waitingKey, flowOf(line), 1)
  redis.call('SADD', slot .. 'lines:' .. flowOf(line), line)
  local at = freeAt(line)
  if at > 0 and at < math.huge then isDue(line, at) end
end
local function leaveLine(id, line)
  if redis.call('ZREM', slot .. 'line:' .. line, id) == 0 then return end
  if redis.call('HINCRBY', waitingKey, flowOf(line), -1) <= 0 then redis.call('HDEL', waitingKey, flowOf(line)) end
end
-- Lets the first calls of a line go, as many as it has room for. One that is kept by another of its lines goes on waiting there.
local function advance(line)
  local key = slot .. 'line:' .. line
  while true do
    local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    if not first[1] then
      redis.call('DEL', slot .. 'rounds:' .. line)
      redis.call('ZREM', dueKey, line)
      redis.call('SREM', slot .. 'lines:' .. flowOf(line), line)
      return
    end
    local at = freeAt(line)
    if at == math.huge then redis.call('ZREM', dueKey, line) return end
    if at > 0 then isDue(line, at) return end
    if steps >= ${mostSteps} then isDue(line, now) return end
    steps = steps + 1
    local id = first[1]
    leaveLine(id, line)
    if tonumber(first[2]) > 0 then redis.call('HSET', slot .. 'rounds:' .. line, '', first[2]) end
    local call = redis.call('HMGET', slot .. 'call:' .. id, 'lines', 'tenant')
    if call[1] then
      local full
      for _, other in ipairs(each(call[1])) do
        if not full and other ~= line and freeAt(other) > 0 then full = other end
      end
      if full then join(id, full, call[2], true)
      else
        takePlaces(id, each(call[1]))
        granted[#granted + 1] = id
      end
    end
  end
end
local function answer(first) return {first, nextDue and string.format('%.3f', nextDue) or '', granted} end`;

const args = { slot: 'text' } as const;
const uses = [inOnePlace, lines] as const;
/** What every one of them adds: when the next line is due, in epoch ms, or '', and the calls that may go. */
const adds = "of {…, due or '', jobs that may go}";

/** Takes a place in all lines of a call, or puts it in one of them. Once more changes nothing. */
export const enterFlow = new Script({
  keys: keysOfFlow,
  args: { ...args, jobId: 'text', tenant: 'text' },
  moreArgs: 'of', // of each line: its name, the number under which its bounds were read, or '', and the bounds `c`, `m` and `p`, or ''
  returns: `{'held'} or {'waits', place of its line among those given, from 1, calls that have a place there, calls that wait before it}, ${adds}`,
  uses,
  lua: `
local all, full = {}, nil
for n = 1, #of, ${fieldsOfLine} do
  all[#all + 1] = of[n]
  local key, number = slot .. 'flow:' .. flowOf(of[n]), tonumber(of[n + 1])
  if number and tonumber(redis.call('HGET', key, 'n') or '0') <= number then
    redis.call('HSET', key, 'n', of[n + 1], 'c', of[n + 2], 'm', of[n + 3], 'p', of[n + 4])
  end
  redis.call('PEXPIRE', key, ${keptMs})
end
local key = slot .. 'call:' .. jobId
redis.call('HINCRBY', key, 'turn', 1)
local at = redis.call('HGET', key, 'at')
if at == '' then return answer({'held'}) end
if not at then
  for _, line in ipairs(all) do
    if not full and (redis.call('EXISTS', slot .. 'line:' .. line) == 1 or freeAt(line) > 0) then full = line end
  end
  redis.call('HSET', key, 'lines', table.concat(all, ' '), 'tenant', tenant, 'since', string.format('%.0f', now))
  if not full then
    takePlaces(jobId, all)
    return answer({'held'})
  end
  redis.call('ZADD', allKey, now + ${lookWaitingMs}, jobId)
  join(jobId, full, tenant, false)
  -- Its rate may let somebody go by now.
  advance(full)
  at = redis.call('HGET', key, 'at')
  if at == '' then return answer({'held'}) end
end
for n, line in ipairs(all) do
  if line == at then
    return answer({'waits', n, redis.call('SCARD', slot .. 'held:' .. at), redis.call('ZRANK', slot .. 'line:' .. at, jobId)})
  end
end
return answer({'waits', 1, 0, 0})`,
});

/** Gives up the places of a call, or its place in a line, and lets others go. */
export const leaveFlow = new Script({
  keys: keysOfFlow,
  args: {
    ...args,
    jobId: 'text',
    turn: 'text', // unless it has asked again since then; or ''
    undoes: 'flag', // it never ran: no rate counts it
  },
  returns: `{1, or 0 where it had none}, ${adds}`,
  uses,
  lua: `
local key = slot .. 'call:' .. jobId
local call = redis.call('HMGET', key, 'lines', 'at', 'turn')
if not call[1] then
  redis.call('ZREM', allKey, jobId)
  return answer({0})
end
if turn ~= '' and call[3] ~= turn then return answer({0}) end
local all = each(call[1])
redis.call('DEL', key)
redis.call('ZREM', allKey, jobId)
if call[2] == '' then
  for _, line in ipairs(all) do
    redis.call('SREM', slot .. 'held:' .. line, jobId)
    if undoes then redis.call('SREM', slot .. 'idle:' .. line, jobId) else count(jobId, line) end
  end
  for _, line in ipairs(all) do advance(line) end
else
  leaveLine(jobId, call[2])
  advance(call[2])
end
return answer({1})`,
});

/** Notes that a call has begun to run. */
export const beginFlow = new Script({
  keys: keysOfFlow,
  args: { ...args, jobId: 'text' },
  returns: `{}, ${adds}`,
  uses,
  lua: `
local call = redis.call('HMGET', slot .. 'call:' .. jobId, 'lines', 'at')
if call[2] == '' then
  for _, line in ipairs(each(call[1])) do
    count(jobId, line)
    advance(line)
  end
end
return answer({})`,
});

/** Lets those go whose rate does so by now. */
export const advanceDue = new Script({
  keys: keysOfFlow,
  args,
  returns: `{}, ${adds}`,
  uses,
  lua: `
local over = redis.call('ZRANGEBYSCORE', dueKey, '-inf', string.format('%.3f', now), 'LIMIT', 0, 50)
for _, line in ipairs(over) do
  redis.call('ZREM', dueKey, line)
  advance(line)
end
local first = redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2]
if first and (not nextDue or tonumber(first) < nextDue) then nextDue = tonumber(first) end
return answer({})`,
});

/** Gives a flow other bounds, unless they were read before those that it has, and lets those go for which it has room now: of some of its lines. */
export const tuneFlow = new Script({
  keys: keysOfFlow,
  args: {
    ...args,
    flow: 'text',
    number: 'text', // under which they were read
    most: 'text', // or '' for any number
    max: 'text',
    perMs: 'text',
    cursor: 'text', // of its lines, '0' first
  },
  returns: `{cursor of the next lines, or '0'}, ${adds}`,
  uses,
  lua: `
local key = slot .. 'flow:' .. flow
local known = tonumber(redis.call('HGET', key, 'n') or '0')
if known <= tonumber(number) then redis.call('HSET', key, 'n', number, 'c', most, 'm', max, 'p', perMs) end
local page = redis.call('SSCAN', slot .. 'lines:' .. flow, cursor, 'COUNT', 50)
for _, line in ipairs(page[2]) do advance(line) end
if page[1] == '0' then redis.call('HSET', key, 'd', number) end
redis.call('PEXPIRE', key, ${keptMs})
return answer({page[1]})`,
});
