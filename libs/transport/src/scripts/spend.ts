import { Script } from '../redis/script.js';

/**
 * Counts calls against the second and the day: as many as both have room for, up to the number asked for. Windows are fixed and start
 * with their first call.
 */
export const spend = new Script({
  keys: ['second', 'day'],
  args: {
    calls: 'number', // at most
    counted: 'number', // how many of them the day has counted already
    maxPerSecond: 'number',
    maxPerDay: 'number',
    secondMs: 'number',
    dayMs: 'number', // life of the day's counter
  },
  returns: "{'spent', calls, how many of them the day has counted now, ms until the next window} {'rate', the same ms} {'quota'}",
  lua: `
local ofSecond = tonumber(redis.call('GET', secondKey) or '0')
if ofSecond >= maxPerSecond then return {'rate', redis.call('PTTL', secondKey)} end
local granted, new = math.min(calls, maxPerSecond - ofSecond), 0
if granted > counted then
  local ofDay = tonumber(redis.call('GET', dayKey) or '0')
  new = math.min(granted - counted, math.max(0, maxPerDay - ofDay))
  granted = counted + new
  if granted == 0 then return {'quota'} end
  if ofDay == 0 then redis.call('SET', dayKey, new, 'PX', dayMs) elseif new > 0 then redis.call('SET', dayKey, ofDay + new, 'KEEPTTL') end
end
if ofSecond > 0 then
  redis.call('SET', secondKey, ofSecond + granted, 'KEEPTTL')
  return {'spent', granted, new, redis.call('PTTL', secondKey)}
end
redis.call('SET', secondKey, granted, 'PX', secondMs)
return {'spent', granted, new, secondMs}`,
});

/** Gives calls back to their day. */
export const refund = new Script({
  keys: ['day'],
  args: { calls: 'number' },
  returns: 'calls that still count',
  lua: `
local used = tonumber(redis.call('GET', dayKey) or '0')
local left = math.max(0, used - calls)
if left < used then redis.call('SET', dayKey, left, 'KEEPTTL') end
return left`,
});
