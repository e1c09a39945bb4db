import { Script } from '../script.js';

/** A worker takes an invocation up. The run number it gets fences every later write: only the latest run may write. */
export const begin = new Script(`
-- KEYS  1 invocation
-- ARGV  1 now
-- GIVES {'unknown'} {'ended'} {'expired', head, mac} {'run', head, mac, run, started at, spent}
local record = redis.call('HMGET', KEYS[1], 'state', 'head', 'mac', 'deadline', 'spent', 'runs', 'startedAt')
if not record[1] then return {'unknown'} end
if record[1] == 'completed' or record[1] == 'failed' or record[1] == 'cancelled' then return {'ended'} end
if tonumber(record[4]) <= tonumber(ARGV[1]) then return {'expired', record[2], record[3]} end
local run = tonumber(record[6]) + 1
local started = record[7] or ARGV[1]
redis.call('HSET', KEYS[1], 'state', 'active', 'runs', run, 'startedAt', started, 'wrote', ' ')
return {'run', record[2], record[3], run, started, record[5] or ''}
`);
