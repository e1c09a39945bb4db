import { Script } from '../script.js';

/** Appends spans to many traces. The first span of a trace pushes the oldest trace out when there are too many. */
export const appendSpans = new Script({
  keys: ['ring'], // keys of the kept traces, newest first
  args: { lifeMs: 'number', maxTraces: 'number', maxSpans: 'number' },
  moreKeys: 'traces',
  moreArgs: 'counted', // for each trace: the number of its spans, then the spans
  returns: 'traces written',
  lua: `
local at = 1
for _, trace in ipairs(traces) do
  local count = tonumber(counted[at])
  local held = redis.call('RPUSH', trace, unpack(counted, at + 1, at + count))
  if held == count then
    redis.call('PEXPIRE', trace, lifeMs)
    if redis.call('LPUSH', ringKey, trace) > maxTraces then
      local oldest = redis.call('RPOP', ringKey)
      if oldest then redis.call('UNLINK', oldest) end
    end
  end
  if held > maxSpans then redis.call('LTRIM', trace, 0, maxSpans - 1) end
  at = at + count + 1
end
return #traces`,
});
