import { recordLifeMs } from '../redis/lives.js';
import { smallBytes } from './holding.js';
import { movedState } from './move-call.js';
import { nothingLogged } from './shared.js';

/** What ending calls needs. */
export const endKeys = ['open', 'openByTenant', 'resting', 'ended', 'endedLost', 'outbox'] as const;
export const endArgs = {
  slot: 'text', // what names of keys begin with
  notices: 'text', // channel, and what begins those of each listener
  stops: 'text', // channel
  noticeBytes: 'number', // largest ending that is sent with the notice
} as const;

/** What each of them needs. Names of keys are without the slot. */
export const endOwn = {
  jobId: 'text',
  now: 'text',
  attempt: 'text', // that ends it, or '' to end it whoever runs it, who is told to stop
  state: 'text',
  head: 'text', // what is kept of it, or '' where that is all
  ending: 'text',
  shown: 'text', // what the board shows from now on
  bytes: 'number', // that the record holds from now on, without its events
  tenant: 'text',
  flight: 'text', // key, or ''
  flightWindowMs: 'text', // how long equal calls still join a success
  cache: 'text', // key, or ''
  cacheMs: 'text', // 0 not to cache
  cacheEntry: 'text',
  unlessJoined: 'flag', // leave it alone when another caller has joined it
  unlessResting: 'flag', // leave it alone while it rests
  atRest: 'text', // number of a rest, to end it in this one alone, or ''
  sealed: 'text', // or ''
  sealedMs: 'text',
  write: 'text', // name of this write: one that is sent again is found there
  entry: 'text', // what the history keeps of the call
  hooked: 'flag', // webhooks may tell of it: it has room in any case
} as const;

/**
 * Entries of ended calls that wait for the history, at most; those of tenants with webhooks have room beyond that. A call has some 450 bytes there, and its record a multiple of that for 24 hours:
 * Redis is full of records long before.
 */
const mostEnded = 200_000;

/**
 * `endCall(…)`, with what `endOwn` has: the outcome and the last event. A log that has no entry stays so. Returns 1 ended by this call; 0 had
 * ended before; -1 unknown; -2 a later attempt has it, or it is not in that rest; -3 left to those who joined; -4 left to its rest. `endAll()` writes what the calls share: counts, the history,
 * and one notice to each process that follows some of them. Needs `hasEnded`, `holding`, `leaveRest` and `waitForPause`.
 */
export const endCalls = `
local closed, closedOf, history, hookedHistory, told = {}, {}, {}, {}, {}
-- A listener whose name ends with two plus signs takes the ends of several calls in one notice.
-- The line is a list of pieces. Texts are joined once, at the end: Lua reads each text that it makes from end to end, for its hash.
local function tellEnd(listeners, line)
  if not listeners then redis.call('PUBLISH', notices, 'end ' .. table.concat(line)) return end
  for listener in string.gmatch(listeners, '%S+') do
    if string.sub(listener, -2) == '++' then
      local lines = told[listener]
      if lines then lines[1], lines[#lines + 1] = 'ends\\n', '\\n' else lines = {'end '} end
      for _, piece in ipairs(line) do lines[#lines + 1] = piece end
      told[listener] = lines
    else
      redis.call('PUBLISH', notices .. ':' .. listener, 'end ' .. table.concat(line))
    end
  end
end
local function listOf(entries)
  local pieces = {}
  for n, entry in ipairs(entries) do pieces[2 * n - 1], pieces[2 * n] = n == 1 and '[' or ',', entry end
  pieces[#pieces + 1] = ']'
  return table.concat(pieces)
end
-- The versions that logged the first entry too gave their listeners names without two plus signs. The first listener has accepted the call.
local function mayHaveLog(seq, listeners)
  return seq ~= '1' or not listeners or not string.find(listeners, '^%S+%+%+')
end
local function endCall(${Object.keys(endOwn).join(', ')})
  local key = slot .. 'invocation:' .. jobId
  local record = redis.call('HMGET', key, 'state', 'runs', 'joined', 'seq', 'heldKey', 'heldHour', 'bytes', 'logged', 'listeners',
    'steps')
  if not record[1] then return -1 end
  if hasEnded(record[1]) then return redis.call('HGET', key, 'endedBy') == write and 1 or 0 end
  if attempt ~= '' and record[2] ~= attempt or record[1] == '${movedState}' then return -2 end
  if unlessJoined and record[3] then return -3 end
  local isResting = record[1] == 'resting'
  if isResting and attempt ~= '' then return -2 end
  if isResting and unlessResting then return -4 end
  if atRest ~= '' and (not isResting or redis.call('HGET', key, 'rests') ~= atRest) then return -2 end
  local seq = '${nothingLogged}'
  if mayHaveLog(record[4], record[9]) then
    local events, last = slot .. 'events:' .. jobId, string.format('%d', record[4] + 1)
    if redis.call('XADD', events, 'NOMKSTREAM', last .. '-0', 'at', now, 'event', '{"kind":"end"}') then
      redis.call('PEXPIRE', events, ${recordLifeMs})
      seq = last
    end
  end
  local changes = {'state', state, 'ending', ending, 'seq', seq, 'endedBy', write}
  if head ~= '' then changes[9], changes[10] = 'head', head end
  local tenantKey, isCached = record[5], tonumber(cacheMs) > 0
  if tenantKey then
    local kept = bytes + tonumber(record[8] or '0')
    local hour = exchange(tenantKey, record[6], record[7], kept, now + ${recordLifeMs})
    if hour then
      local n = #changes
      changes[n + 1], changes[n + 2], changes[n + 3], changes[n + 4] = 'bytes', kept, 'heldHour', hour
    end
    if isCached and string.len(cacheEntry) >= ${smallBytes} then hold(tenantKey, string.len(cacheEntry), now + cacheMs) end
    if sealed ~= '' then hold(tenantKey, string.len(sealed), now + sealedMs) end
  end
  redis.call('HSET', key, unpack(changes))
  redis.call('PEXPIRE', key, ${recordLifeMs})
  if flight ~= '' and redis.call('GET', slot .. flight) == jobId then
    if tonumber(flightWindowMs) > 0 and state == 'completed' then redis.call('PEXPIRE', slot .. flight, flightWindowMs)
    else redis.call('DEL', slot .. flight) end
  end
  if isCached then redis.call('SET', slot .. cache, cacheEntry, 'PX', cacheMs) end
  if sealed ~= '' then redis.call('SET', slot .. 'sealed:' .. jobId, sealed, 'PX', sealedMs) end
  if record[10] then redis.call('UNLINK', slot .. 'steps:' .. jobId) end
  if attempt == '' then redis.call('PUBLISH', stops, jobId) end
  if isResting then
    local rest = redis.call('HMGET', key, 'lists', 'rest')
    leaveRest(jobId, rest[1], now)
    leavePause(jobId, rest[2])
  else
    closed[#closed + 1] = jobId
    closedOf[tenant] = (closedOf[tenant] or 0) + 1
  end
  history[#history + 1] = entry
  if hooked then hookedHistory[#hookedHistory + 1] = entry end
  tellEnd(record[9], string.len(ending) <= noticeBytes and {jobId, ' ', ending} or {jobId})
  return 1
end
local function endAll()
  if #closed > 0 then redis.call('ZREM', openKey, unpack(closed)) end
  for tenant, count in pairs(closedOf) do
    if redis.call('HINCRBY', openByTenantKey, tenant, -count) <= 0 then redis.call('HDEL', openByTenantKey, tenant) end
  end
  if #history > 0 then
    if redis.call('XLEN', endedKey) < ${mostEnded} then redis.call('XADD', endedKey, '*', 'calls', listOf(history))
    else
      if #hookedHistory > 0 then redis.call('XADD', outboxKey, '*', 'calls', listOf(hookedHistory)) end
      if #history > #hookedHistory then redis.call('INCRBY', endedLostKey, #history - #hookedHistory) end
    end
  end
  for listener, lines in pairs(told) do
    redis.call('PUBLISH', notices .. ':' .. listener, table.concat(lines))
  end
end`;
