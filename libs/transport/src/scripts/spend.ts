import { Script } from '../script.js';

/** Counts one call against the second and the day, or against neither. Windows are fixed and start with their first call. */
export const spend = new Script(`
-- KEYS  1 calls of this second  2 calls of this day
-- ARGV  1 most a second  2 most a day  3 a second in ms  4 life of the day's counter in ms
-- GIVES {'spent'} {'rate', ms until the next window} {'quota'}
local rate = tonumber(redis.call('GET', KEYS[1]) or '0')
if rate >= tonumber(ARGV[1]) then return {'rate', redis.call('PTTL', KEYS[1])} end
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
if used >= tonumber(ARGV[2]) then return {'quota'} end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
if redis.call('INCR', KEYS[2]) == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
return {'spent'}
`);

/** Gives a call back to its day. */
export const refund = new Script(`
-- KEYS  1 calls of this day
-- GIVES calls that still count
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used <= 0 then return 0 end
return redis.call('DECR', KEYS[1])
`);
