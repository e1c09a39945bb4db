import { Script } from '../redis/script.js';
import { holding } from './holding.js';
import { inOnePlace } from './shared.js';

/** Deletes a call that has ended before its time, and gives its bytes back. */
export const forget = new Script({
  keys: ['invocation', 'events', 'sealed', 'steps'],
  args: {},
  returns: 'nothing',
  uses: [inOnePlace, holding],
  lua: `
local record = redis.call('HMGET', invocationKey, 'heldKey', 'heldHour', 'bytes')
if record[1] then release(record[1], record[2], record[3]) end
redis.call('UNLINK', invocationKey, eventsKey, sealedKey, stepsKey)`,
});
