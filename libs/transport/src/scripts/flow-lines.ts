// What stands in the lines of flows. flow.ts has the form of the keys, and what moves calls in the lines.
import { Script } from '../redis/script.js';
import { keysOfFlow, lookHeldMs, lookWaitingMs } from './flow.js';
import { inOnePlace } from './shared.js';

/** The lines of flows in which calls wait. */
export const waitingLines = new Script({
  keys: keysOfFlow,
  args: {
    slot: 'text',
    most: 'number', // lines that are looked at
  },
  moreArgs: 'flows',
  returns:
    "of each: its name, calls that have a place there, calls that wait, the first of these, how long ago it asked first, in ms, and the bounds `c`, `m` and `p`, or ''",
  uses: [inOnePlace],
  lua: `
local time = redis.call('TIME')
local now, found, looked = tonumber(time[1]) * 1000, {}, 0
local function add(...)
  for _, value in ipairs({...}) do found[#found + 1] = value end
end
for _, flow in ipairs(flows) do
  local bounds = redis.call('HMGET', slot .. 'flow:' .. flow, 'c', 'm', 'p')
  local lines = looked < most and redis.call('SSCAN', slot .. 'lines:' .. flow, '0', 'COUNT', most - looked)[2] or {}
  for _, line in ipairs(lines) do
    looked = looked + 1
    local first = redis.call('ZRANGE', slot .. 'line:' .. line, 0, 0)[1]
    if first and looked <= most then
      local since = redis.call('HGET', slot .. 'call:' .. first, 'since')
      add(line, redis.call('SCARD', slot .. 'held:' .. line), redis.call('ZCARD', slot .. 'line:' .. line), first, now - tonumber(since or now))
      add(bounds[1] or '', bounds[2] or '', bounds[3] or '')
    end
  end
end
return found`,
});

/** The flows in whose lines calls wait. */
export const waitingFlows = new Script({
  keys: keysOfFlow,
  args: { slot: 'text' },
  returns: "of each: its name, how many calls wait, and the number under which its lines were looked at, or ''",
  uses: [inOnePlace],
  lua: `
local found, all = {}, redis.call('HGETALL', waitingKey)
for n = 1, #all, 2 do
  found[#found + 1], found[#found + 2] = all[n], all[n + 1]
  found[#found + 1] = redis.call('HGET', slot .. 'flow:' .. all[n], 'd') or ''
end
return found`,
});

/** Calls that somebody should look at: whether they are still there. */
export const flowPatrol = new Script({
  keys: keysOfFlow,
  args: { slot: 'text', limit: 'number' },
  returns: 'of each: its job, its turn, and how long ago it asked first, in ms',
  uses: [inOnePlace],
  lua: `
local time = redis.call('TIME')
local now, found = tonumber(time[1]) * 1000, {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', allKey, '-inf', now, 'LIMIT', 0, limit)) do
  local call = redis.call('HMGET', slot .. 'call:' .. id, 'at', 'turn', 'since')
  if call[1] then
    redis.call('ZADD', allKey, now + (call[1] == '' and ${lookHeldMs} or ${lookWaitingMs}), id)
    found[#found + 1], found[#found + 2], found[#found + 3] = id, call[2], now - tonumber(call[3])
  else
    redis.call('ZREM', allKey, id)
  end
end
return found`,
});

/** Where calls stand. */
export const flowPlaces = new Script({
  keys: keysOfFlow,
  args: { slot: 'text' },
  moreArgs: 'ids',
  returns:
    "of each: the line in which it waits, or '', calls that have a place there, calls that wait before it, its turn, and how long ago it asked first, in ms",
  uses: [inOnePlace],
  lua: `
local time = redis.call('TIME')
local now, found = tonumber(time[1]) * 1000, {}
for _, id in ipairs(ids) do
  local call = redis.call('HMGET', slot .. 'call:' .. id, 'at', 'turn', 'since')
  local line = call[1] or ''
  local waits = line ~= ''
  found[#found + 1] = line
  found[#found + 1] = waits and redis.call('SCARD', slot .. 'held:' .. line) or 0
  found[#found + 1] = waits and redis.call('ZRANK', slot .. 'line:' .. line, id) or 0
  found[#found + 1] = call[2] or ''
  found[#found + 1] = now - tonumber(call[3] or now)
end
return found`,
});
