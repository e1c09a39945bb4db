import { Script } from '../redis/script.js';
import { holding } from './holding.js';
import { inOnePlace } from './shared.js';

/**
 * Keeps what a step of a call that runs gave, once for ever. Fenced by the attempt and by the lock of its job: who has lost one of them keeps nothing.
 * What is kept lives as long as the record, and counts among its bytes until the call ends.
 */
export const keepStep = new Script({
  keys: [
    'invocation',
    'steps',
    // BullMQ's:
    'job',
  ],
  args: {
    attempt: 'text',
    token: 'text', // of the worker's locks
    name: 'text', // field of the hash
    value: 'text',
    size: 'number', // of the value before it was sealed, in bytes
    maxSteps: 'number',
    maxBytes: 'number', // of all values
  },
  returns: "{'kept'} {'known', value} another one has the name; {'fenced'} {'too-many'} {'full'}",
  uses: [inOnePlace, holding],
  lua: `
local known = redis.call('HGET', stepsKey, name)
-- The client sends a command again when its connection broke before the reply.
if known == value then return {'kept'} end
local record = redis.call('HMGET', invocationKey, 'state', 'runs', 'bytes', 'heldKey', 'heldHour', 'steps', 'stepBytes')
if record[1] ~= 'active' or record[2] ~= attempt or redis.call('GET', jobKey .. ':lock') ~= token then return {'fenced'} end
if known then return {'known', known} end
local steps, stepBytes = tonumber(record[6] or '0') + 1, tonumber(record[7] or '0') + size
if steps > maxSteps then return {'too-many'} end
if stepBytes > maxBytes then return {'full'} end
redis.call('HSET', stepsKey, name, value)
redis.call('PEXPIRE', stepsKey, redis.call('PTTL', invocationKey))
local held = string.len(name) + string.len(value)
local changes = {'steps', steps, 'stepBytes', stepBytes}
if record[4] then
  holdMore(record[4], record[5], held)
  changes[5], changes[6] = 'bytes', tonumber(record[3]) + held
end
redis.call('HSET', invocationKey, unpack(changes))
return {'kept'}`,
});
