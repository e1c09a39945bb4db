import { Script } from '../redis/script.js';
import { keysOfFlow } from './flow.js';
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
