import { Script } from '../redis/script.js';
import { inOnePlace } from './shared.js';

/**
 * Frees the jobs of a queue whose locks processes hold that have ended, and has BullMQ's next check for stalled jobs find them: it need not wait until the
 * locks are over. A token begins with the name of its process and a dot. Their offer is over too. Where a lock is over already, the check finds the job
 * as well, and not only the one after it: who has lost a lock never gets it back.
 */
export const freeHeld = new Script({
  keys: ['active', 'stalled', 'stalledCheck', 'offer'],
  args: {
    queuePrefix: 'text', // of BullMQ's keys
  },
  moreArgs: 'ended', // names of processes
  returns: 'how many jobs',
  uses: [inOnePlace],
  lua: `
local hasEnded, freed = {}, 0
for _, name in ipairs(ended) do hasEnded[name] = true end
local function isOfEnded(token) return hasEnded[string.match(token, '^([^.]*)%.') or ''] end
for _, id in ipairs(redis.call('LRANGE', activeKey, 0, -1)) do
  local lock = queuePrefix .. id .. ':lock'
  local token = redis.call('GET', lock)
  if not token or isOfEnded(token) then
    redis.call('DEL', lock)
    redis.call('SADD', stalledKey, id)
    freed = freed + 1
  end
end
-- The last check may have been a moment ago.
if freed > 0 then redis.call('DEL', stalledCheckKey) end
local _, offering = string.match(redis.call('GET', offerKey) or '', '^(%S+) (%S+)')
if offering and isOfEnded(offering) then redis.call('DEL', offerKey) end
return freed`,
});
