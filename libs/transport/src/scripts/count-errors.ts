import { Script } from '../redis/script.js';

/** How many further arguments one kind in one minute has. */
export const argumentsOfKind = 10;

/**
 * Counts errors of one hour, in one hash:
 *  - `i<id>` the number of a kind in this hour, and `g<number>` what it is
 *  - `c<number>:<minute of the hour>` its errors
 *  - `x<number>` how often samples of it were added, and `s<number>:<0…2>` the last three
 *  - `kinds` how many there are, and `t<tenant>` how many a tenant has
 * A kind that finds no place is counted as the spare one of its tenant and code, and where there is no place for that either, as that of its code.
 */
export const countErrors = new Script({
  keys: ['hour'],
  args: {
    lifeMs: 'number',
    mostKinds: 'number', // that have a place of their own
    mostOfTenant: 'number',
    mostSpares: 'number',
  },
  // Of each: tenant, minute, count, ids and facts of its kind and of the two spares, and samples as a list in JSON.
  moreArgs: 'of',
  returns: 'how many kinds found no place',
  lua: `
local function isRoom(name, most) return tonumber(redis.call('HGET', hourKey, name) or '0') < most end
local function add(id, facts, name)
  local number = redis.call('HINCRBY', hourKey, 'kinds', 1)
  if name then redis.call('HINCRBY', hourKey, name, 1) end
  redis.call('HSET', hourKey, 'i' .. id, number, 'g' .. number, facts)
  return number
end
local homeless = 0
for n = 1, #of, ${argumentsOfKind} do
  local tenant, minute, count, samples = of[n], of[n + 1], of[n + 2], cjson.decode(of[n + 9])
  local number = redis.call('HGET', hourKey, 'i' .. of[n + 3])
  if not number and isRoom('kinds', mostKinds) and isRoom('t' .. tenant, mostOfTenant) then number = add(of[n + 3], of[n + 4], 't' .. tenant) end
  if not number then
    homeless = homeless + 1
    number = redis.call('HGET', hourKey, 'i' .. of[n + 5])
    if not number and isRoom('kinds', mostKinds + mostSpares) then number = add(of[n + 5], of[n + 6]) end
  end
  if not number then number = redis.call('HGET', hourKey, 'i' .. of[n + 7]) or add(of[n + 7], of[n + 8]) end
  redis.call('HINCRBY', hourKey, 'c' .. number .. ':' .. minute, count)
  for place = 1, #samples do
    local added = redis.call('HINCRBY', hourKey, 'x' .. number, 1)
    redis.call('HSET', hourKey, 's' .. number .. ':' .. added % 3, samples[place])
  end
end
redis.call('PEXPIRE', hourKey, lifeMs)
return homeless`,
});
