import { Script } from '../script.js';

/** Appends spans to lists that hold those of many traces. */
export const appendSpans = new Script({
  keys: [],
  args: { lifeMs: 'number', most: 'number', slack: 'number' },
  moreKeys: 'buckets',
  moreArgs: 'counted', // for each bucket: the number of its spans, then the spans
  returns: 'nothing',
  lua: `
local at = 1
for _, bucket in ipairs(buckets) do
  local count = tonumber(counted[at])
  local held = redis.call('RPUSH', bucket, unpack(counted, at + 1, at + count))
  redis.call('PEXPIRE', bucket, lifeMs)
  if held > most + slack then redis.call('LTRIM', bucket, -most, -1) end
  at = at + count + 1
end`,
});
