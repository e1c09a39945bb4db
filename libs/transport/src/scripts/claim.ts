import { Script } from '../script.js';

/**
 * Hands the sealed part of an outcome out. Where it may be had once, each call that was let in for it (the one that made
 * the invocation and those that joined) takes it one single time; the last one takes it away.
 */
export const claim = new Script(`
-- KEYS  1 invocation  2 sealed part
-- ARGV  1 '1' when each call may have it once  2 how long further calls may still join, ms
-- GIVES the sealed part, or nil when it is gone
local text = redis.call('GET', KEYS[2])
if not text then return nil end
if ARGV[1] ~= '1' then return text end
local record = redis.call('HMGET', KEYS[1], 'state', 'joined', 'handed')
if not record[1] then return nil end
local entitled = 1 + tonumber(record[2] or '0')
local handed = tonumber(record[3] or '0') + 1
if handed > entitled then return nil end
redis.call('HSET', KEYS[1], 'handed', handed)
if handed == entitled then
  local left = math.min(tonumber(ARGV[2]), redis.call('PTTL', KEYS[2]))
  if left > 0 then redis.call('PEXPIRE', KEYS[2], left) else redis.call('DEL', KEYS[2]) end
end
return text
`);
