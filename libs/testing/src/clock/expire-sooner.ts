import type { Redis } from 'ioredis';

// ARGV: pattern of the keys, ms that pass.
const script = `
local pattern, passedMs = ARGV[1], tonumber(ARGV[2])
local cursor = '0'
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', 1000)
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    local leftMs = redis.call('PTTL', key)
    if leftMs >= 0 then
      if leftMs <= passedMs then redis.call('DEL', key) else redis.call('PEXPIRE', key, leftMs - passedMs) end
    end
  end
until cursor == '0'
`;

/**
 * Lets time pass for the keys of one namespace: each loses this much of its time to live, and those whose time is over are deleted.
 * Keys without a time to live stay.
 * @param passedMs whole milliseconds, 0 or more
 */
export async function expireSooner(redis: Redis, namespace: string, passedMs: number): Promise<void> {
  if (!Number.isSafeInteger(passedMs) || passedMs < 0) throw new RangeError(`time passes in whole milliseconds from 0, not ${passedMs}`);
  await redis.eval(script, 0, `*${namespace}*`, passedMs);
}
