import { Script } from '../script.js';
import { addEvent } from './shared.js';

/**
 * The client sends a command again when its connection broke before the reply. So every write of a run has a number, the record
 * keeps the latest numbers (field `wrote`, this many characters of it), and a write that is sent again is found there.
 */
const rememberedWrites = 400;

/** Further events of the latest run, and the field of the record that changes with them. */
export const append = new Script({
  keys: ['invocation', 'events'],
  args: {
    jobId: 'text',
    now: 'number',
    run: 'text',
    write: 'text', // number of this write
    field: 'text', // of the record, or '' when none changes
    value: 'text',
    state: 'text', // the new one, or '' to keep it
    notices: 'text', // channel
  },
  moreArgs: 'events',
  returns: '1 written; 0 the invocation has ended or a later run has it',
  uses: [addEvent],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'seq', 'wrote')
local isLatestRun, wrote = record[2] == run, record[4] or ' '
if isLatestRun and string.find(wrote, ' ' .. write .. ' ', 1, true) then return 1 end
if record[1] ~= 'active' or not isLatestRun then return 0 end
local seq = tonumber(record[3])
local changes = {'seq', seq + #events, 'wrote', string.sub(wrote .. write .. ' ', -${rememberedWrites})}
if field ~= '' then changes[5], changes[6] = field, value end
redis.call('HSET', invocationKey, unpack(changes))
if state ~= '' then redis.call('HSET', invocationKey, 'state', state) end
for n, event in ipairs(events) do addEvent(seq + n, event) end
redis.call('PUBLISH', notices, 'new ' .. jobId)
return 1`,
});
