import { expect, test } from '@jest/globals';
import { commonSettings, ConfigError, readSettings } from './config.js';

const good = {
  REDIS_URL: 'redis://localhost:6379',
  DATABASE_URL: 'postgresql://u:p@h/db',
  SEALING_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
};

test('a good environment is typed and has its defaults', () => {
  const settings = readSettings(commonSettings, good);
  expect(settings).toMatchObject({ LOG_LEVEL: 'info', INVOQ_NAMESPACE: 'invoq', NODE_ENV: 'development' });
  expect(settings.SEALING_KEYS[0]?.key).toHaveLength(32);
});

test('every fault is in one message, and no value is', () => {
  const read = () =>
    readSettings(commonSettings, { REDIS_URL: 'http://secret-host', SEALING_KEYS: 'a:short', LOG_LEVEL: 'loud', DATABASE_URL: '' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/REDIS_URL must be a URL that begins with redis:[\s\S]*SEALING_KEYS must be[\s\S]*/);
  expect(read).toThrow(/DATABASE_URL is missing/);
  expect(read).not.toThrow(/secret-host|short$/m);
});
