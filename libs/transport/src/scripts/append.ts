import { Script } from '../script.js';
import { rememberedWrites } from './writes.js';

/** One more event of the latest run: progress, or a retry that also stores what its budget has left. */
export const append = new Script(`
-- KEYS  1 invocation  2 events
-- ARGV  1 job id  2 now  3 run  4 event  5 field to store beside it  6 its value  7 new state or ''  8 notices channel
--       9 number of this write
-- GIVES 1 written  0 the invocation has ended or a later run has it
local record = redis.call('HMGET', KEYS[1], 'state', 'runs', 'seq', 'wrote')
local wrote = record[4] or ' '
if record[2] == ARGV[3] and string.find(wrote, ' ' .. ARGV[9] .. ' ', 1, true) then return 1 end
if record[1] ~= 'active' or record[2] ~= ARGV[3] then return 0 end
local seq = tonumber(record[3]) + 1
redis.call('HSET', KEYS[1], 'seq', seq, 'wrote', string.sub(wrote .. ARGV[9] .. ' ', -${rememberedWrites}), ARGV[5], ARGV[6], 'state', ARGV[7] ~= '' and ARGV[7] or record[1])
redis.call('XADD', KEYS[2], seq .. '-0', 'at', ARGV[2], 'event', ARGV[4])
redis.call('PUBLISH', ARGV[8], 'new ' .. ARGV[1])
return 1
`);
