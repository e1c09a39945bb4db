import { Script } from '../script.js';

/** Counts one conversation of a day, if the day has room for it. All at once, so that of many at a time exactly the allowed pass. */
export const spendChat = new Script(`
-- KEYS  1 the day's counts
-- ARGV  1 most conversations, -1 for no limit  2 most tokens, -1 for no limit  3 life in ms
-- GIVES 'ok' 'conversations' 'tokens'
local used = redis.call('HMGET', KEYS[1], 'conversations', 'tokens')
if tonumber(ARGV[1]) >= 0 and tonumber(used[1] or '0') >= tonumber(ARGV[1]) then return 'conversations' end
if tonumber(ARGV[2]) >= 0 and tonumber(used[2] or '0') >= tonumber(ARGV[2]) then return 'tokens' end
redis.call('HINCRBY', KEYS[1], 'conversations', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 'ok'
`);
