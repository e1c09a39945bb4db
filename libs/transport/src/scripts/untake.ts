import { Script } from '../script.js';
import { inOnePlace } from './shared.js';

/**
 * Gives back what `take` took for a worker that does not know of it: the connection broke before the reply, and the command was sent again.
 * Nothing of such a job has run, so it is as if it had not been taken: no attempt is counted, and it is not taken for lost with its worker.
 */
export const untake = new Script({
  keys: ['wait', 'active', 'prioritized', 'stalled', 'marker'],
  args: {
    queuePrefix: 'text', // of BullMQ's keys
    recordPrefix: 'text', // of the records of calls
    token: 'text', // of the worker's locks
    known: 'text', // the job that the worker got, or ''
  },
  returns: 'how many were given back',
  uses: [inOnePlace],
  lua: `
local given = 0
for _, id in ipairs(redis.call('LRANGE', activeKey, '0', '-1')) do
  local taken = queuePrefix .. id
  if id ~= known and redis.call('GET', taken .. ':lock') == token then
    local job, record = redis.call('HMGET', taken, 'priority', 'ats', 'defa'), recordPrefix .. id
    redis.call('DEL', taken .. ':lock')
    redis.call('LREM', activeKey, '-1', id)
    redis.call('SREM', stalledKey, id)
    -- Of a job that was taken before, the worker would have begun the run.
    if job[2] == '1' and not job[3] and redis.call('HGET', record, 'state') == 'active' then
      redis.call('HINCRBY', record, 'runs', -1)
      redis.call('HSET', record, 'state', 'waiting')
    end
    redis.call('HINCRBY', taken, 'ats', -1)
    local priority = tonumber(job[1] or '0')
    if priority == 0 then redis.call('RPUSH', waitKey, id) else redis.call('ZADD', prioritizedKey, priority * 0x100000000, id) end
    given = given + 1
  end
end
if given > 0 then redis.call('ZADD', markerKey, '0', '0') end
return given`,
});
