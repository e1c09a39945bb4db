import { Script } from '../script.js';

/** Counts one call against the second and the day, or against neither. Windows are fixed and start with their first call. */
export const spend = new Script({
  keys: ['second', 'day'],
  args: {
    maxPerSecond: 'number',
    maxPerDay: 'number',
    secondMs: 'number',
    dayMs: 'number', // life of the day's counter
  },
  returns: "{'spent'} {'rate', ms until the next window} {'quota'}",
  lua: `
local ofSecond = tonumber(redis.call('GET', secondKey) or '0')
if ofSecond >= maxPerSecond then return {'rate', redis.call('PTTL', secondKey)} end
local ofDay = tonumber(redis.call('GET', dayKey) or '0')
if ofDay >= maxPerDay then return {'quota'} end
if redis.call('INCR', secondKey) == 1 then redis.call('PEXPIRE', secondKey, secondMs) end
if redis.call('INCR', dayKey) == 1 then redis.call('PEXPIRE', dayKey, dayMs) end
return {'spent'}`,
});

/** Gives a call back to its day. */
export const refund = new Script({
  keys: ['day'],
  args: {},
  returns: 'calls that still count',
  lua: `
local used = tonumber(redis.call('GET', dayKey) or '0')
if used <= 0 then return 0 end
return redis.call('DECR', dayKey)`,
});
