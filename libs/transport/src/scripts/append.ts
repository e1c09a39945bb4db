import { Script } from '../redis/script.js';
import { addEvent, inOnePlace, tell } from './shared.js';

/**
 * The client sends a command again when its connection broke before the reply. So every write of an attempt has a number, the record
 * keeps the latest numbers (field `wrote`, this many characters of it), and a write that is sent again is found there.
 */
const rememberedWrites = 400;
/**
 * The most bytes that the events of one call may have.
 * @limit calls: bytes of the events of a call; further progress is left out
 */
export const maxLogBytes = 4 * 1_048_576;

/** Events of more bytes are not told with their notice: each listener reads them. */
const maxToldBytes = 4_096;

/** Further events of the latest attempt, or none, and the field of the record that changes with them. */
export const append = new Script({
  keys: ['invocation', 'events'],
  args: {
    jobId: 'text',
    now: 'number',
    lifeMs: 'number', // of a log that begins here
    attempt: 'text',
    write: 'text', // number of this write
    field: 'text', // of the record, or '' when none changes
    value: 'text',
    state: 'text', // the new one, or '' to keep it
    whenFull: 'text', // what becomes of events that the log has no room for: write, skip or refuse
    notices: 'text', // channel, and what begins those of each listener
  },
  moreArgs: 'events',
  returns: '1 written, or skipped; 0 the invocation has ended or a later attempt has it; -1 refused',
  uses: [inOnePlace, addEvent, tell],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'seq', 'wrote', 'logged', 'bytes', 'heldKey', 'heldHour',
  'listeners')
local isLatest, wrote = record[2] == attempt, record[4] or ' '
if isLatest and string.find(wrote, ' ' .. write .. ' ', 1, true) then return 1 end
if record[1] ~= 'active' or not isLatest then return 0 end
local seq, logged, size = tonumber(record[3]), tonumber(record[5] or '0'), 0
for _, event in ipairs(events) do size = size + string.len(event) end
if whenFull ~= 'write' and logged + size > ${maxLogBytes} then
  if whenFull == 'refuse' then return -1 end
  events, size = {}, 0
end
local changes = {'seq', seq + #events, 'wrote', string.sub(wrote .. write .. ' ', -${rememberedWrites}), 'logged', logged + size}
if field ~= '' then changes[7], changes[8] = field, value end
if record[7] then
  redis.call('HINCRBY', record[7], record[8], size)
  redis.call('HINCRBY', record[7], 'sum', size)
  changes[#changes + 1], changes[#changes + 2] = 'bytes', tonumber(record[6]) + size
end
redis.call('HSET', invocationKey, unpack(changes))
if state ~= '' then redis.call('HSET', invocationKey, 'state', state) end
for n, event in ipairs(events) do addEvent(seq + n, event) end
if seq == 1 then redis.call('PEXPIRE', eventsKey, lifeMs) end
if #events == 0 then return 1 end
local notice, whole = 'new ' .. jobId, nil
if size > 0 and size <= ${maxToldBytes} then
  whole = string.format('%s %d %d [%s]', notice, seq + 1, now, table.concat(events, ','))
end
tell(record[9], notice, whole)
return 1`,
});
