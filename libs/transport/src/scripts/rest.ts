import { Script } from '../redis/script.js';

/** Has a lease end after so long, if it is still the holder's. */
export const rest = new Script({
  keys: ['lease'],
  args: { holder: 'text', restMs: 'number' },
  returns: "1, or 0 when it is not the holder's",
  lua: `
if redis.call('GET', leaseKey) ~= holder then return 0 end
return redis.call('PEXPIRE', leaseKey, restMs)`,
});
