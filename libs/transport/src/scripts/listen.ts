import { Script } from '../redis/script.js';

/** One more process that hears of what happens to a call. Of a call without listeners everybody hears. */
export const listen = new Script({
  keys: ['invocation'],
  args: { listener: 'text' },
  returns: 'nothing',
  lua: `
local listeners = redis.call('HGET', invocationKey, 'listeners')
if listeners and not string.find(' ' .. listeners .. ' ', ' ' .. listener .. ' ', 1, true) then
  redis.call('HSET', invocationKey, 'listeners', listeners .. ' ' .. listener)
end`,
});
