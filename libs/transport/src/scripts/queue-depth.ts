import { Script } from '../redis/script.js';

/** How many places of the queue are looked at for the call that has waited longest. */
const sampled = 16;

/**
 * How a queue stands. The longest wait is that of the calls that are next, and of some others at equal distances: exact for up to 16 calls in
 * rounds and where one caller waits, close otherwise.
 */
export const queueDepth = new Script({
  keys: ['open', 'wait', 'prioritized', 'active', 'delayed', 'ended', 'endedLost', 'resting'],
  args: { queuePrefix: 'text' },
  returns:
    '{open, waiting, active, delayed, when the call that has waited longest was accepted, in epoch ms, or 0; ended calls that are not in the history, ' +
    'ms since the oldest of them ended, how many were lost; calls at rest}',
  lua: `
local inRounds = redis.call('ZCARD', prioritizedKey)
local ids = redis.call('LRANGE', waitKey, -1, -1)
for n = 0, math.min(inRounds, ${sampled}) - 1 do
  local rank = math.floor(n * math.max(1, inRounds / ${sampled}))
  ids[#ids + 1] = redis.call('ZRANGE', prioritizedKey, rank, rank)[1]
end
local oldest = 0
for _, id in ipairs(ids) do
  local at = tonumber(redis.call('HGET', queuePrefix .. id, 'timestamp') or '0')
  if at > 0 and (oldest == 0 or at < oldest) then oldest = at end
end
local first = redis.call('XRANGE', endedKey, '-', '+', 'COUNT', 1)[1]
local time = redis.call('TIME')
local oldestMs = first and math.max(0, time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(string.match(first[1], '^%d+'))) or 0
return {redis.call('ZCARD', openKey), redis.call('LLEN', waitKey) + inRounds, redis.call('LLEN', activeKey),
  redis.call('ZCARD', delayedKey), oldest, redis.call('XLEN', endedKey), oldestMs, tonumber(redis.call('GET', endedLostKey) or '0'),
  redis.call('ZCARD', restingKey)}`,
});
