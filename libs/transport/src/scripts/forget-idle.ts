import { Script } from '../redis/script.js';

/** Takes a name from a sorted set, if nobody has noted it since. */
export const forgetIdle = new Script({
  keys: ['noted'],
  args: { name: 'text', latest: 'number' },
  returns: '1, or 0 when it was noted later or is not there',
  lua: `
local at = redis.call('ZSCORE', notedKey, name)
if not at or tonumber(at) > latest then return 0 end
return redis.call('ZREM', notedKey, name)`,
});
