import { Script } from '../redis/script.js';

/** Counts one conversation of a day, if the day has room for it. One step, so that of many at a time exactly the allowed pass. */
export const spendChat = new Script({
  keys: ['counts'],
  args: {
    maxConversations: 'number', // -1 for no limit
    maxTokens: 'number', // -1 for no limit
    lifeMs: 'number',
  },
  returns: "'ok' 'conversations' 'tokens'",
  lua: `
local used = redis.call('HMGET', countsKey, 'conversations', 'tokens')
if maxConversations >= 0 and tonumber(used[1] or '0') >= maxConversations then return 'conversations' end
if maxTokens >= 0 and tonumber(used[2] or '0') >= maxTokens then return 'tokens' end
redis.call('HINCRBY', countsKey, 'conversations', 1)
redis.call('PEXPIRE', countsKey, lifeMs)
return 'ok'`,
});
