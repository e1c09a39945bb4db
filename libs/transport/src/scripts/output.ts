import { Script } from '../script.js';
import { rememberedWrites } from './writes.js';

/** Some more events of the latest run, told by its handler. */
export const output = new Script(`
-- KEYS  1 invocation  2 events
-- ARGV  1 job id  2 now  3 run  4 notices channel  5 number of this write  6… events
-- GIVES 1 written  0 the invocation has ended or a later run has it
local record = redis.call('HMGET', KEYS[1], 'state', 'runs', 'seq', 'wrote')
local wrote = record[4] or ' '
if record[2] == ARGV[3] and string.find(wrote, ' ' .. ARGV[5] .. ' ', 1, true) then return 1 end
if record[1] ~= 'active' or record[2] ~= ARGV[3] then return 0 end
local last = tonumber(record[3]) + #ARGV - 5
redis.call('HSET', KEYS[1], 'seq', last, 'wrote', string.sub(wrote .. ARGV[5] .. ' ', -${rememberedWrites}))
for at = 6, #ARGV do
  redis.call('XADD', KEYS[2], string.format('%d-0', last - #ARGV + at), 'at', ARGV[2], 'event', ARGV[at])
end
redis.call('PUBLISH', ARGV[4], 'new ' .. ARGV[1])
return 1
`);
