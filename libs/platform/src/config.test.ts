import { describe, expect, test } from '@jest/globals';
import { commonSettings, ConfigError, readSettings, workerSettings } from './config.js';

const good = {
  REDIS_URL: 'redis://localhost:6379',
  DATABASE_URL: 'postgresql://u:p@h/db',
  SEALING_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
};

test('a good environment is typed and has its defaults', () => {
  const settings = readSettings(commonSettings, good);
  expect(settings).toMatchObject({ LOG_LEVEL: 'info', INVOQ_NAMESPACE: 'invoq', NODE_ENV: 'production' });
  expect(settings.SEALING_KEYS[0]?.key).toHaveLength(32);
});

test.each([
  [undefined, 'production'],
  ['', 'production'],
  ['production', 'production'],
  ['test', 'test'],
  ['development', 'development'],
])('NODE_ENV %j means %s: only who asks for it gets the rules of development', (given, expected) => {
  expect(readSettings(commonSettings, { ...good, ...(given !== undefined && { NODE_ENV: given }) }).NODE_ENV).toBe(expected);
});

test('an environment of another name is refused', () => {
  expect(() => readSettings(commonSettings, { ...good, NODE_ENV: 'prod' })).toThrow('NODE_ENV');
});

test('every fault is in one message, and no value is', () => {
  const read = () =>
    readSettings(commonSettings, { REDIS_URL: 'http://secret-host', SEALING_KEYS: 'a:short', LOG_LEVEL: 'loud', DATABASE_URL: '' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/REDIS_URL must be a URL that begins with redis:[\s\S]*SEALING_KEYS must be[\s\S]*/);
  expect(read).toThrow(/DATABASE_URL is missing/);
  expect(read).not.toThrow(/secret-host|short$/m);
});

describe('the settings of a worker', () => {
  const read = (env: Record<string, string>) => readSettings(workerSettings, { ...good, ...env });

  test('have defaults', () => {
    expect(read({})).toMatchObject({ HEALTH_PORT: 0, DRAIN_MS: 20_000, DATABASE_POOL: 4, HOST: '127.0.0.1' });
    expect(read({}).WORKER_CONCURRENCY).toBeUndefined();
  });

  test('an empty variable counts as absent', () => expect(read({ DRAIN_MS: '' }).DRAIN_MS).toBe(20_000));

  test.each([
    ['HEALTH_PORT', ['0', '65535'], ['-1', '65536', '1.5', 'x']],
    ['WORKER_CONCURRENCY', ['1', '1000'], ['0', '1001', 'x']],
    ['DRAIN_MS', ['0', '600000'], ['-1', '600001']],
    ['DATABASE_POOL', ['1', '100'], ['0', '101']],
  ] as const)('%s is bounded by %j', (name, bounds, outside) => {
    for (const value of bounds) expect(read({ [name]: value })[name]).toBe(Number(value));
    for (const value of outside) expect(() => read({ [name]: value })).toThrow(name);
  });
});

describe('sealing keys', () => {
  const key = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
  const read = (text: string) => readSettings(commonSettings, { ...good, SEALING_KEYS: text }).SEALING_KEYS;

  test('are read in order: the first one seals', () => {
    expect(read(`new:${key(32)}, old:${key(32)}`).map(({ id }) => id)).toEqual(['new', 'old']);
  });

  test.each([
    'no-colon-here',
    `a:${key(31)}`,
    `a:${key(33)}`,
    `:${key(32)}`,
    `a b:${key(32)}`,
    `${'x'.repeat(17)}:${key(32)}`,
    `a:${key(32)},`,
  ])('%j are refused, and not repeated', (text) => {
    expect(() => read(text)).toThrow('SEALING_KEYS must be `id:key` pairs');
    expect(() => read(text)).not.toThrow(text);
  });

  test('with an id that another one has are refused: what the other sealed could not be read', () => {
    const other = Buffer.alloc(32, 8).toString('base64');
    expect(() => read(`k1:${other},k1:${key(32)}`)).toThrow('SEALING_KEYS must not use an id twice');
  });
});
