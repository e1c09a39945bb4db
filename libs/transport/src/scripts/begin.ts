import { Script } from '../script.js';
import { hasEnded } from './shared.js';

/** A worker takes an invocation up. The run number it gets fences every later write: only the latest run may write. */
export const begin = new Script({
  keys: ['invocation'],
  args: { now: 'number' },
  returns: "{'unknown'} {'ended'} {'expired', head, mac} {'run', head, mac, run, started at, retries used}",
  uses: [hasEnded],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'head', 'mac', 'deadline', 'spent', 'runs', 'startedAt')
local state, head, mac = record[1], record[2], record[3]
if not state then return {'unknown'} end
if hasEnded(state) then return {'ended'} end
if tonumber(record[4]) <= now then return {'expired', head, mac} end
local run, startedAt = tonumber(record[6]) + 1, record[7] or now
redis.call('HSET', invocationKey, 'state', 'active', 'runs', run, 'startedAt', startedAt, 'wrote', ' ')
return {'run', head, mac, run, startedAt, record[5] or ''}`,
});
