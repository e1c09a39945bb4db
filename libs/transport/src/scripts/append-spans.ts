import { Script } from '../redis/script.js';

/** Appends spans to a list that holds those of many traces. */
export const appendSpans = new Script({
  keys: ['bucket'],
  args: { lifeMs: 'number', most: 'number', slack: 'number' },
  moreArgs: 'spans',
  returns: 'nothing',
  lua: `
local held = redis.call('RPUSH', bucketKey, unpack(spans))
redis.call('PEXPIRE', bucketKey, lifeMs)
if held > most + slack then redis.call('LTRIM', bucketKey, -most, -1) end`,
});
