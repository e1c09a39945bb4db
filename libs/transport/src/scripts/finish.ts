import { Script } from '../script.js';
import { addEvent, hasEnded } from './shared.js';

/** Ends an invocation, once: the first writer wins. Outcome first, then the last event, then the notice. */
export const finish = new Script({
  keys: ['invocation', 'events', 'open', 'openByTenant', 'flight', 'cache', 'sealed'],
  args: {
    jobId: 'text',
    now: 'number',
    run: 'text', // or '' to end it whoever runs it
    state: 'text',
    ending: 'text',
    tenant: 'text',
    keepMs: 'number', // life of the ended record
    hasFlight: 'flag',
    flightWindowMs: 'number', // how long equal calls still join a success
    cacheMs: 'number', // 0 not to cache
    cacheEntry: 'text',
    notices: 'text', // channel
    stops: 'text', // channel, or '' when the writer is the runner itself
    noticeBytes: 'number', // largest ending that is sent with the notice
    unlessJoined: 'flag', // leave it alone when another caller has joined it
    sealed: 'text', // or ''
    sealedMs: 'number',
    write: 'text', // name of this write: one that is sent again is found there
  },
  returns: '1 ended by this call; 0 had ended before; -1 unknown; -2 a later run has it; -3 left to those who joined',
  uses: [hasEnded, addEvent],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'joined', 'seq')
if not record[1] then return -1 end
if hasEnded(record[1]) then return redis.call('HGET', invocationKey, 'endedBy') == write and 1 or 0 end
if run ~= '' and record[2] ~= run then return -2 end
if unlessJoined and record[3] then return -3 end
local seq = tonumber(record[4]) + 1
redis.call('HSET', invocationKey, 'state', state, 'ending', ending, 'seq', seq, 'endedBy', write)
addEvent(seq, '{"kind":"end"}')
redis.call('PEXPIRE', invocationKey, keepMs)
redis.call('PEXPIRE', eventsKey, keepMs)
redis.call('ZREM', openKey, jobId)
if redis.call('HINCRBY', openByTenantKey, tenant, -1) <= 0 then redis.call('HDEL', openByTenantKey, tenant) end
if hasFlight and redis.call('GET', flightKey) == jobId then
  if flightWindowMs > 0 and state == 'completed' then redis.call('PEXPIRE', flightKey, flightWindowMs) else redis.call('DEL', flightKey) end
end
if cacheMs > 0 then redis.call('SET', cacheKey, cacheEntry, 'PX', cacheMs) end
if sealed ~= '' then redis.call('SET', sealedKey, sealed, 'PX', sealedMs) end
local notice = 'end ' .. jobId
if string.len(ending) <= noticeBytes then notice = notice .. ' ' .. ending end
redis.call('PUBLISH', notices, notice)
if stops ~= '' then redis.call('PUBLISH', stops, jobId) end
return 1`,
});
