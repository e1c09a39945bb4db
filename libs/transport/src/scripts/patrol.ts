import { Script } from '../redis/script.js';
import { inOnePlace } from './shared.js';

/** Looks at some of the open invocations, by their place in the list, for those whose job the queue does not know or has ended. */
export const patrol = new Script({
  keys: ['open'],
  args: {
    queuePrefix: 'text', // of BullMQ's keys
    from: 'number', // place, from 0
    limit: 'number',
  },
  returns: '{how many it looked at, {job id, …}}',
  uses: [inOnePlace],
  lua: `
local ids, found = redis.call('ZRANGE', openKey, from, from + limit - 1), {}
for _, id in ipairs(ids) do
  local job = redis.call('HMGET', queuePrefix .. id, 'timestamp', 'finishedOn')
  if not job[1] or job[2] then found[#found + 1] = id end
end
return {#ids, found}`,
});
