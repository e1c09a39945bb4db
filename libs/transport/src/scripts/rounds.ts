/** BullMQ takes priorities up to 2,097,152, a tool's own included. From here on calls are taken up in the order they came. */
const mostRounds = 2_000_000;
/** After this many, rounds begin anew where nobody waits: what is kept of each user is then forgotten. */
const manyRounds = 100_000;

/**
 * In which round a call is taken up. `nextRound(tenant, caller, maxAhead, ownPriority)` looks, `takeRound(places)` notes what it gave, and
 * `writeRounds()` writes what was noted. Needs the keys `rounds`, the argument `concurrency`, the number `open` of open calls, and `pushJobs`.
 */
export const rounds = `
local rounds, newRounds = {}, {}
local function roundOf(place)
  if rounds[place] == nil then rounds[place] = tonumber(redis.call('HGET', roundsKey, place) or '0') end
  return rounds[place]
end

-- Calls wait for each other in rounds. In each round a tenant has two places: one for a user with nothing queued in a later round, and one
-- for anyone. Round 0 is for calls that need not wait. Returns the round, the places to write it under, and how many calls are before it
-- where those are too many.
local function nextRound(tenant, caller, maxAhead, ownPriority)
  if open < concurrency then return 0, {} end
  local userPlace, place = 'user ' .. caller, 'tenant ' .. tenant
  local highest, first = math.max(1, roundOf('highest')), firstPrioritized()
  local round
  if first then
    local current, ofUser = math.floor(first / 0x100000000), roundOf(userPlace)
    if ofUser < current then place = 'light ' .. tenant end
    round = math.min(math.max(current, ofUser, roundOf(place) + 1), ${mostRounds})
    local ahead = open > maxAhead and countBefore((round + ownPriority + 1) * 0x100000000) or 0
    if ahead > maxAhead then return nil, ahead end
  else
    -- Nobody waits, so all stand at the same round. Not at the first: what was accepted a moment ago is still on its way.
    if highest > ${manyRounds} then
      redis.call('DEL', roundsKey)
      highest, rounds, newRounds = 1, {}, {}
    end
    round = highest
  end
  return round, {highest = math.max(highest, round), [userPlace] = round, [place] = round}
end
local function takeRound(places)
  for name, taken in pairs(places) do rounds[name], newRounds[name] = taken, taken end
end
local function writeRounds()
  local taken = {}
  for name, round in pairs(newRounds) do taken[#taken + 1], taken[#taken + 2] = name, round end
  if #taken > 0 then redis.call('HSET', roundsKey, unpack(taken)) end
end`;
