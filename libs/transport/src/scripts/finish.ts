import { Script } from '../script.js';

/** Ends an invocation, once: the first writer wins. Outcome first, then the last event, then the announcement. */
export const finish = new Script(`
-- KEYS  1 invocation  2 events  3 open  4 open-by-tenant  5 flight  6 cache  7 sealed part
-- ARGV  1 job id  2 now  3 run, or '' to end it whoever runs it  4 state  5 ending  6 tenant  7 keep in ms
--       8 flight window in ms  9 cache life in ms, 0 not to cache  10 cache entry  11 notices channel
--       12 stops channel, or '' when the writer is the runner itself  13 largest ending to send with the notice, bytes
--       14 '1' to leave it alone when another caller has joined  15 sealed part, or ''  16 its life in ms
--       17 name of this write: one that is sent again is found to be there
-- GIVES 1 ended by this call  0 had ended before  -1 unknown  -2 a later run has it  -3 left to those who joined
local record = redis.call('HMGET', KEYS[1], 'state', 'runs', 'joined', 'seq')
if not record[1] then return -1 end
if record[1] == 'completed' or record[1] == 'failed' or record[1] == 'cancelled' then
  return redis.call('HGET', KEYS[1], 'endedBy') == ARGV[17] and 1 or 0
end
if ARGV[3] ~= '' and record[2] ~= ARGV[3] then return -2 end
if ARGV[14] == '1' and record[3] then return -3 end
local seq = tonumber(record[4]) + 1
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'ending', ARGV[5], 'seq', seq, 'endedBy', ARGV[17])
redis.call('XADD', KEYS[2], seq .. '-0', 'at', ARGV[2], 'event', '{"kind":"end"}')
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[7])
redis.call('ZREM', KEYS[3], ARGV[1])
if redis.call('HINCRBY', KEYS[4], ARGV[6], -1) <= 0 then redis.call('HDEL', KEYS[4], ARGV[6]) end
if KEYS[5] ~= KEYS[1] and redis.call('GET', KEYS[5]) == ARGV[1] then
  if tonumber(ARGV[8]) > 0 and ARGV[4] == 'completed' then redis.call('PEXPIRE', KEYS[5], ARGV[8]) else redis.call('DEL', KEYS[5]) end
end
if tonumber(ARGV[9]) > 0 then redis.call('SET', KEYS[6], ARGV[10], 'PX', ARGV[9]) end
if ARGV[15] ~= '' then redis.call('SET', KEYS[7], ARGV[15], 'PX', ARGV[16]) end
local notice = 'end ' .. ARGV[1]
if string.len(ARGV[5]) <= tonumber(ARGV[13]) then notice = notice .. ' ' .. ARGV[5] end
redis.call('PUBLISH', ARGV[11], notice)
if ARGV[12] ~= '' then redis.call('PUBLISH', ARGV[12], ARGV[1]) end
return 1
`);
