import { describe, expect, test } from '@jest/globals';
import { commonSettings, ConfigError, readSettings } from './config.js';
import { redisServers, type RedisSettings } from './redis-servers.js';

const own = { database: 0, isTls: false };

describe('the servers of Redis', () => {
  test.each<[RedisSettings, object]>([
    [{ REDIS_URL: 'redis://h' }, { ...own, seeds: [{ host: 'h', port: 6379 }] }],
    [{ REDIS_URL: 'redis://:pa,ss@h:1/2' }, { ...own, password: 'pa,ss', database: 2, seeds: [{ host: 'h', port: 1 }] }],
    [
      { REDIS_URL: 'rediss://me:a%2Cb@[::1]:7000, h2 ,h3:7002', REDIS_MODE: 'cluster' },
      {
        database: 0,
        isTls: true,
        username: 'me',
        password: 'a,b',
        seeds: [
          { host: '::1', port: 7000 },
          { host: 'h2', port: 6379 },
          { host: 'h3', port: 7002 },
        ],
      },
    ],
    [
      { REDIS_URL: 'redis://h1:1,redis://h2:2/0', REDIS_MODE: 'cluster' },
      {
        ...own,
        seeds: [
          { host: 'h1', port: 1 },
          { host: 'h2', port: 2 },
        ],
      },
    ],
    [
      { REDIS_URL: 'redis://:p@s1,s2:5000/3', REDIS_MODE: 'sentinel', REDIS_SENTINEL_NAME: 'main' },
      {
        ...own,
        password: 'p',
        database: 3,
        seeds: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 5_000 },
        ],
      },
    ],
  ])('of %j are %j', (settings, servers) => expect(redisServers(settings)).toEqual(servers));
});

describe('settings of Redis are refused', () => {
  const good = { DATABASE_URL: 'postgresql://u:p@h/db', SEALING_KEYS: `a:${Buffer.alloc(32).toString('base64')}` };
  const read = (env: Record<string, string>) => () => readSettings(commonSettings, { ...good, ...env });
  const sentinel = { REDIS_MODE: 'sentinel', REDIS_SENTINEL_NAME: 'main' };
  const cluster = { REDIS_MODE: 'cluster' };

  test.each<[string, Record<string, string>]>([
    ['REDIS_URL is missing', {}],
    ['REDIS_URL must be a URL that begins with redis:// or rediss://', { REDIS_URL: 'http://hush' }],
    ['REDIS_URL must be a URL that begins with redis:// or rediss://', { REDIS_URL: 'hush:6379' }],
    ['REDIS_URL must name one server; for several, set REDIS_MODE', { REDIS_URL: 'redis://hush:1,h:2' }],
    ['REDIS_URL must name one server; for several, set REDIS_MODE', { REDIS_URL: 'redis://hush,h' }],
    ['REDIS_URL must not name a database: a cluster', { REDIS_URL: 'redis://hush/1', ...cluster }],
    ['REDIS_URL must have the number of a database', { REDIS_URL: 'redis://hush/one' }],
    ['REDIS_URL must have the same scheme', { REDIS_URL: 'redis://hush:1,rediss://h:2', ...cluster }],
    ['REDIS_URL must have one user and password', { REDIS_URL: 'redis://a:hush@h:1,redis://b:hush@h:2', ...cluster }],
    ['REDIS_URL must be a URL', { REDIS_URL: 'redis://h:1,', ...cluster }],
    ['REDIS_MODE Invalid option', { REDIS_URL: 'redis://hush', REDIS_MODE: 'clustered' }],
    ['REDIS_SENTINEL_NAME is missing', { REDIS_URL: 'redis://hush', REDIS_MODE: 'sentinel' }],
    ['REDIS_SENTINEL_NAME needs REDIS_MODE=sentinel', { REDIS_URL: 'redis://hush', REDIS_SENTINEL_NAME: 'main' }],
    ['REDIS_URL must have one database', { REDIS_URL: 'redis://h/1,redis://hush/2', ...sentinel }],
  ])('%s: %j', (message, env) => {
    expect(read(env)).toThrow(ConfigError);
    expect(read(env)).toThrow(`\n  ${message}`);
    expect(read(env)).not.toThrow(/hush/);
  });

  test('beside all other faults', () => {
    expect(read({ REDIS_URL: 'redis://h/1', ...cluster, LOG_LEVEL: 'loud' })).toThrow(/REDIS_URL must not name a database[^]*LOG_LEVEL/);
  });
});
