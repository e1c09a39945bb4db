// A call is handed to a worker's free place in the step that accepts it. The worker offers its places at the end of a turn.

/** How long an offer holds, in ms. A worker that hangs is handed calls for no longer. */
export const offerMs = 250;

/** What a turn needs. */
export const offerArgs = {
  worker: 'text', // by its own id
  offers: 'number', // places for jobs that are accepted from now on
  closes: 'text', // number of the turn whose offer is over, or ''
  known: 'text', // the jobs that it has heard of since
} as const;

/**
 * `takeTurn()` takes jobs for the worker whose turn it is: returns what `takeJobs` does, and last the jobs that it was handed and has not heard of.
 *
 * The key `taken` holds the number of a turn, and the ids that it took. When the connection breaks before the reply, the turn is sent again, and is told the
 * same. `+` stands before ids that the worker was handed since that turn: the next turn finds those that it does not know. `-` stands before what was found
 * so.
 */
export const takeTurn = `
local function begunBefore(id)
  local record = redis.call('HMGET', slot .. 'invocation:' .. id, 'state', 'head', 'mac', 'runs')
  return record[1] == 'active' and record[4] == '1' and {id, record[2], record[3]} or {id}
end
local function takeTurn()
  if want == 0 and closes == '' then return {{}, 0, 0, '', {}} end
  local before = redis.call('GET', takenKey) or ''
  local last = string.match(before, '^%S*')
  local again, found, marked = last == turn and {} or nil, {}, turn
  for mark, id in string.gmatch(before, ' ([-+]?)([^%s+-]%S*)') do
    local isFound = again and mark == '-' or last == closes and mark == '+' and not string.find(known, id, 1, true)
    if (isFound or again and mark == '') and redis.call('GET', queuePrefix .. id .. ':lock') == token then
      local jobs = isFound and found or again
      jobs[#jobs + 1] = begunBefore(id)
      if isFound then marked = marked .. ' -' .. id end
    end
  end
  local function keepTaken(ids)
    for _, id in ipairs(ids) do marked = marked .. ' ' .. id end
    redis.call('SET', takenKey, marked, 'PX', lockMs)
  end
  -- They are this turn's from now on, so that they are found again when it is sent again.
  if #found > 0 and not again then keepTaken({}) end
  local taken = want == 0 and {{}, 0, 0, ''} or takeJobs(again, keepTaken)
  taken[#taken + 1] = found
  return taken
end`;

/** `offerPlaces()`: the worker's offer from now on, or the end of the one that it has made. Needs the key `offer`. */
export const offerPlaces = `
local function offerPlaces()
  if offers > 0 then
    redis.call('SET', offerKey, table.concat({worker, token, lockMs, turn, offers}, ' '), 'PX', ${offerMs})
  elseif closes ~= '' then
    local offer = redis.call('GET', offerKey)
    if offer and string.match(offer, '^%S+') == worker then redis.call('DEL', offerKey) end
  end
end`;

/** The offer that stands. Comes before `takeJobs`, which then takes for its worker. */
export const readOffer = `
local worker, token, lockMs, turn, want = string.match(redis.call('GET', offerKey) or '', '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
local takenAt, clock
want = tonumber(want or '0')`;

/**
 * `handOver(now)` comes after `pushAll`, and has the worker take what was pushed, as in a turn of its own; a message brings it the jobs. Returns false where
 * nobody who listens offers as many places, or others wait. Needs `pushJobs` and `takeJobs`.
 */
export const handOver = `
local function handOver(now)
  local count = worker and redis.call('LLEN', waitKey) + redis.call('ZCARD', prioritizedKey)
  if not count or count > want or count > #plainJobs + #laterJobs / 2 then return false end
  -- A worker that was killed hears nothing. In a cluster only this node's listeners are known; without the right to ask nobody is.
  local listeners = redis.pcall('PUBSUB', 'NUMSUB', handed .. worker)
  if listeners.err or listeners[2] == 0 then return false end
  takenAt, clock = now, now
  local taken = takeJobs(nil, function(ids)
    local takenKey = slot .. 'taken:' .. worker
    local before = redis.call('GET', takenKey) or ''
    if string.match(before, '^%S*') ~= turn then before = turn end
    redis.call('SET', takenKey, before .. ' +' .. table.concat(ids, ' +'), 'PX', lockMs)
  end)
  if taken[1] == 'stock' then return false end
  local lines = {clock}
  if count < want then redis.call('SET', offerKey, table.concat({worker, token, lockMs, turn, want - count}, ' '), 'KEEPTTL')
  else redis.call('DEL', offerKey) end
  for _, job in ipairs(taken[1]) do
    for _, piece in ipairs(job[2] and {'\\n', job[1], ' ', job[3], ' ', job[2]} or {'\\n', job[1]}) do lines[#lines + 1] = piece end
  end
  redis.call('PUBLISH', handed .. worker, table.concat(lines))
  return true
end`;
