import { Script } from '../redis/script.js';

/**
 * Hands the sealed part of an outcome out. Where it may be had once, each call that was accepted for it (the one that made the
 * invocation and those that joined) takes it one single time; the last one deletes it.
 */
export const claim = new Script({
  keys: ['invocation', 'sealed'],
  args: {
    once: 'flag', // each call may have it one single time
    joinableMs: 'number', // how long further calls may still join
  },
  returns: 'the sealed part, or nil when it is gone',
  lua: `
local text = redis.call('GET', sealedKey)
if not text then return nil end
if not once then return text end
local record = redis.call('HMGET', invocationKey, 'state', 'joined', 'handed')
if not record[1] then return nil end
local entitled, handed = 1 + tonumber(record[2] or '0'), 1 + tonumber(record[3] or '0')
if handed > entitled then return nil end
redis.call('HSET', invocationKey, 'handed', handed)
if handed == entitled then
  local left = math.min(joinableMs, redis.call('PTTL', sealedKey))
  if left > 0 then redis.call('PEXPIRE', sealedKey, left) else redis.call('DEL', sealedKey) end
end
return text`,
});
