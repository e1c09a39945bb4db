import { handlerRests } from '#lib/contracts';
import { Script } from '../redis/script.js';
import { holding } from './holding.js';
import { movedState } from './move-call.js';
import { hasEnded, inOnePlace } from './shared.js';

/**
 * Keeps what a hook of a call was called with, or a question answered with: the first holds. A call that rests for it, or for something beside it, is due
 * at once; one that runs may be about to rest, and finds then that it was called meanwhile.
 */
export const answerHook = new Script({
  keys: ['invocation', 'steps', 'resting'],
  args: {
    jobId: 'text',
    now: 'number',
    name: 'text', // field of the hash
    value: 'text',
    size: 'number', // of the value before it was sealed, in bytes
    maxSteps: 'number',
    maxBytes: 'number', // of all values
    decision: 'text', // of the person who answers, or ''
  },
  returns: "'kept' 'full' 'gone' it was called before, nobody waits for it any more, or the call has ended",
  uses: [inOnePlace, hasEnded, holding],
  lua: `
local record = redis.call('HMGET', invocationKey, 'state', 'bytes', 'heldKey', 'heldHour', 'steps', 'stepBytes', 'rest')
if not record[1] or hasEnded(record[1]) or record[1] == '${movedState}' then return 'gone' end
local known = redis.call('HGET', stepsKey, name)
-- The client sends a command again when its connection broke before the reply.
if known then return known == value and 'kept' or 'gone' end
local steps, stepBytes = tonumber(record[5] or '0') + 1, tonumber(record[6] or '0') + size
if steps > maxSteps or stepBytes > maxBytes then return 'full' end
redis.call('HSET', stepsKey, name, value)
redis.call('PEXPIRE', stepsKey, redis.call('PTTL', invocationKey))
redis.call('HSET', invocationKey, 'steps', steps, 'stepBytes', stepBytes)
if record[3] then
  local held = string.len(name) + string.len(value)
  holdMore(record[3], record[4], held)
  redis.call('HINCRBY', invocationKey, 'bytes', held)
end
if decision ~= '' then redis.call('HSET', invocationKey, 'decision', decision) end
local reason = string.match(record[7] or '', '"reason":"(%a+)"')
local awaited = { ${handlerRests.map((reason) => `${reason} = true`).join(', ')} }
if record[1] == 'resting' and awaited[reason] then
  redis.call('ZADD', restingKey, 'XX', now, jobId)
else
  redis.call('HSET', invocationKey, 'knocked', 1)
end
return 'kept'`,
});
