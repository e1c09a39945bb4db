import { Script } from '../script.js';
import { holding, smallBytes } from './holding.js';
import { hasEnded, nothingLogged, tell } from './shared.js';

/** What ending an invocation needs. */
export const endKeys = ['invocation', 'events', 'open', 'openByTenant', 'flight', 'cache', 'sealed', 'job', 'ended', 'endedLost'] as const;
export const endArgs = {
  jobId: 'text',
  now: 'number',
  run: 'text', // or '' to end it whoever runs it
  state: 'text',
  head: 'text', // what is kept of it
  ending: 'text',
  shown: 'text', // what the board shows from now on
  bytes: 'number', // that the record holds from now on, without its events
  tenant: 'text',
  keepMs: 'number', // life of the ended record
  hasFlight: 'flag',
  flightWindowMs: 'number', // how long equal calls still join a success
  cacheMs: 'number', // 0 not to cache
  cacheEntry: 'text',
  notices: 'text', // channel, and what begins those of each listener
  stops: 'text', // channel, or '' when the writer is the runner itself
  noticeBytes: 'number', // largest ending that is sent with the notice
  unlessJoined: 'flag', // leave it alone when another caller has joined it
  sealed: 'text', // or ''
  sealedMs: 'number',
  write: 'text', // name of this write: one that is sent again is found there
  history: 'text', // what the history keeps of the call
} as const;

/**
 * Ended calls that wait for the history, at most. One has some 450 bytes, and its record a multiple of that for 24 hours: Redis is full
 * of records long before.
 */
const mostEndedCalls = 1_000_000;

/**
 * `endInvocation()`: the outcome and the last event, then the notice. A log that has no entry stays so. Returns what the script `finish`
 * does, and true when this very write was made before. Needs `hasEnded`, `tell` and `holding`.
 */
export const endInvocation = `
local function endInvocation()
  local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'joined', 'seq', 'heldKey', 'heldHour', 'bytes', 'logged',
    'listeners')
  if not record[1] then return -1 end
  if hasEnded(record[1]) then
    local isSentAgain = redis.call('HGET', invocationKey, 'endedBy') == write
    return isSentAgain and 1 or 0, isSentAgain
  end
  if run ~= '' and record[2] ~= run then return -2 end
  if unlessJoined and record[3] then return -3 end
  local seq = tonumber(record[4]) + 1
  if redis.call('XADD', eventsKey, 'NOMKSTREAM', string.format('%d-0', seq), 'at', now, 'event', '{"kind":"end"}') then
    redis.call('PEXPIRE', eventsKey, keepMs)
  else
    seq = ${nothingLogged}
  end
  local changes = {'state', state, 'head', head, 'ending', ending, 'seq', seq, 'endedBy', write}
  -- Records of an older version hold nothing.
  local tenantKey = record[5]
  if tenantKey then
    local kept = bytes + tonumber(record[8] or '0')
    local hour = exchange(tenantKey, record[6], record[7], kept, now + keepMs)
    if hour then changes[11], changes[12], changes[13], changes[14] = 'bytes', kept, 'heldHour', hour end
    if cacheMs > 0 and string.len(cacheEntry) >= ${smallBytes} then hold(tenantKey, string.len(cacheEntry), now + cacheMs) end
    if sealed ~= '' then hold(tenantKey, string.len(sealed), now + sealedMs) end
  end
  redis.call('HSET', invocationKey, unpack(changes))
  redis.call('PEXPIRE', invocationKey, keepMs)
  redis.call('ZREM', openKey, jobId)
  if redis.call('HINCRBY', openByTenantKey, tenant, -1) <= 0 then redis.call('HDEL', openByTenantKey, tenant) end
  if hasFlight and redis.call('GET', flightKey) == jobId then
    if flightWindowMs > 0 and state == 'completed' then redis.call('PEXPIRE', flightKey, flightWindowMs) else redis.call('DEL', flightKey) end
  end
  if cacheMs > 0 then redis.call('SET', cacheKey, cacheEntry, 'PX', cacheMs) end
  if sealed ~= '' then redis.call('SET', sealedKey, sealed, 'PX', sealedMs) end
  if redis.call('XLEN', endedKey) < ${mostEndedCalls} then redis.call('XADD', endedKey, '*', 'call', history)
  else redis.call('INCR', endedLostKey) end
  local notice = 'end ' .. jobId
  if string.len(ending) <= noticeBytes then notice = notice .. ' ' .. ending end
  tell(record[9], notice)
  if stops ~= '' then redis.call('PUBLISH', stops, jobId) end
  return 1
end`;

/** `showEnded()`: takes the parameters from a job that stays where it is. */
export const showEnded = `
local function showEnded()
  if redis.call('EXISTS', jobKey) == 1 then redis.call('HSET', jobKey, 'data', shown) end
end`;

/** Ends an invocation, once: the first writer wins. */
export const finish = new Script({
  keys: endKeys,
  args: endArgs,
  returns: '1 ended by this call; 0 had ended before; -1 unknown; -2 a later run has it; -3 left to those who joined',
  uses: [hasEnded, tell, holding, endInvocation, showEnded],
  lua: `
local ended = endInvocation()
if ended == 1 then showEnded() end
return ended`,
});
