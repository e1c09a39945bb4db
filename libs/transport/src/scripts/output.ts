import { Script } from '../script.js';

/** Some more events of the latest run, told by its handler. */
export const output = new Script(`
-- KEYS  1 invocation  2 events
-- ARGV  1 job id  2 now  3 run  4 notices channel  5… events
-- GIVES 1 written  0 the invocation has ended or a later run has it
local record = redis.call('HMGET', KEYS[1], 'state', 'runs')
if record[1] ~= 'active' or record[2] ~= ARGV[3] then return 0 end
local last = redis.call('HINCRBY', KEYS[1], 'seq', #ARGV - 4)
for at = 5, #ARGV do
  redis.call('XADD', KEYS[2], string.format('%d-0', last - #ARGV + at), 'at', ARGV[2], 'event', ARGV[at])
end
redis.call('PUBLISH', ARGV[4], 'new ' .. ARGV[1])
return 1
`);
