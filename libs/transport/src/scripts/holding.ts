/** Below this, a difference is not worth two writes for each call: what every call is counted with covers it. */
export const smallBytes = 1_024;

/**
 * The bytes that a tenant's calls hold in a domain, in one hash a tenant. Its fields are hours since 1970 with the bytes that are given
 * back when that hour begins, and `sum`, the bytes of all hours to come. A record that expires is so given back without anybody's doing.
 * The record says what it holds (`bytes`), in which hash (`heldKey`) and until which hour (`heldHour`): what is given back is what was
 * taken, whoever ends the call. The sum is counted anew in every hour, so no error in it can last.
 *
 * `hold(key, bytes, untilMs)` takes bytes; `holdMore(key, hour, bytes)` takes more for a call that has some; `release(key, hour, bytes)` gives them back; `exchange(key, hour, bytes, newBytes, untilMs)` does
 * both for a call that ends, and returns the new hour, or nil where so little changes that all stays; `heldBytes(key, nowMs, untilMs)` is the
 * sum, the hour that begins at or after `untilMs`, and what that hour has.
 */
export const holding = `
local function holdMore(key, hour, bytes)
  redis.call('HINCRBY', key, hour, bytes)
  redis.call('HINCRBY', key, 'sum', bytes)
end
local function hold(key, bytes, untilMs)
  holdMore(key, math.ceil(untilMs / 3600000), bytes)
end
local function release(key, hour, bytes)
  if redis.call('HINCRBY', key, hour, -bytes) <= 0 then redis.call('HDEL', key, hour) end
  redis.call('HINCRBY', key, 'sum', -bytes)
end
local function exchange(key, hour, bytes, newBytes, untilMs)
  local newHour = math.ceil(untilMs / 3600000)
  if newHour == tonumber(hour) and math.abs(newBytes - bytes) < ${smallBytes} then return nil end
  if redis.call('HINCRBY', key, hour, -bytes) <= 0 then redis.call('HDEL', key, hour) end
  redis.call('HINCRBY', key, newHour, newBytes)
  redis.call('HINCRBY', key, 'sum', newBytes - bytes)
  return newHour
end
local function heldBytes(key, nowMs, untilMs)
  local hour, last = math.floor(nowMs / 3600000), math.ceil(untilMs / 3600000)
  local counted = redis.call('HMGET', key, 'sum', 'counted', last)
  if tonumber(counted[2]) == hour then return tonumber(counted[1]), last, tonumber(counted[3] or '0') end
  local sum, fields = 0, redis.call('HGETALL', key)
  for n = 1, #fields, 2 do
    local begins = tonumber(fields[n])
    if begins and begins <= hour then redis.call('HDEL', key, fields[n]) end
    if begins and begins > hour then sum = sum + tonumber(fields[n + 1]) end
  end
  redis.call('HSET', key, 'sum', sum, 'counted', hour)
  -- Longer than any record that was accepted in this hour can live, but for those that rest: they have set a longer life.
  if redis.call('PTTL', key) < 4 * 86400000 then redis.call('PEXPIRE', key, 4 * 86400000) end
  return sum, last, tonumber(counted[3] or '0')
end`;
