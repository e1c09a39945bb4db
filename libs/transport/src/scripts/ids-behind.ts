import { Script } from '../redis/script.js';

/** The next ids of a list behind one of them, from high scores to low. In one step: what is added meanwhile would move the others. */
export const idsBehind = new Script({
  keys: ['list'],
  args: { jobId: 'text', limit: 'number' },
  returns: '{id, score, …}, or nil when the list has no such id',
  lua: `
local rank = redis.call('ZREVRANK', listKey, jobId)
if not rank then return nil end
return redis.call('ZREVRANGE', listKey, rank + 1, rank + limit, 'WITHSCORES')`,
});
