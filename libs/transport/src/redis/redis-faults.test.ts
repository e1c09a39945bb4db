import { expect, test } from '@jest/globals';
import { isRedisFault, isRefusedByRedis } from './redis-faults.js';

test.each([
  ["OOM command not allowed when used memory > 'maxmemory'.", true],
  ["READONLY You can't write against a read only replica.", true],
  ['LOADING Redis is loading the dataset in memory', true],
  ['MISCONF Redis is configured to save RDB snapshots', true],
  ['MOVED 3999 127.0.0.1:6381', true],
  ['ASK 3999 127.0.0.1:6381', true],
  ['TRYAGAIN Multiple keys request during rehashing of slot', true],
  ['CLUSTERDOWN The cluster is down', true],
  ['CLUSTERDOWN Hash slot not served', true],
  ['EXECABORT Transaction discarded because of previous errors.', true],
  ['Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys request during rehashing of slot', true],
  ['ERR Script attempted to access a non local key in a cluster node script: 0123, on @user_script:7.', true],
  ['ERR Script attempted to access keys that do not hash to the same slot', false],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', false],
  ['NOSCRIPT No matching script.', false],
  ['The word OOM in the middle', false],
])('a write is refused for now by "%s": %s', (message, isRefused) => {
  expect(isRefusedByRedis(new Error(message))).toBe(isRefused);
  expect(isRefusedByRedis(message)).toBe(false);
  expect(isRedisFault(new Error(message))).toBe(isRefused);
});

test.each([
  ["Cluster isn't ready and enableOfflineQueue options is false", true],
  ['Cluster is ended.', true],
  ['None of startup nodes is available', true],
  ['Failed to refresh slots cache.', true],
  ['All sentinels are unreachable. Retrying from scratch after 20ms.', true],
  ["Socket timeout. Expecting data, but didn't receive any in 5000ms.", true],
  ['Command timed out', true],
  ['x is not a function', false],
])('Redis cannot be reached says "%s": %s', (message, isFault) => {
  expect(isRedisFault(new Error(message))).toBe(isFault);
  expect(isRefusedByRedis(new Error(message))).toBe(false);
});
