import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { settingList } from '#lib/contracts';
import { gatewaySettings } from '../config.js';
import { shownSettings } from './shown-settings.js';

const key = Buffer.alloc(32, 7).toString('base64');
const given = {
  REDIS_URL: 'rediss://app:hush@redis.example:6380/2',
  DATABASE_URL: 'postgresql://app:hush@db.example/invoq?password=hush&sslmode=require',
  SEALING_KEYS: `k1:${key}`,
  JWT_ISSUER: 'https://id.example',
  JWT_SECRET: `hush-${'x'.repeat(32)}`,
  MODEL_API_KEY: 'hush-model',
  MODEL_BASE_URL: 'https://user:hush@models.example/v1?token=hush',
  CORS_ORIGINS: 'https://a.example,https://b.example',
  RATE_LIMIT_FREE: '7',
};
const shown = shownSettings(gatewaySettings, z.object(gatewaySettings).parse(given));
const one = (name: string) => shown.find((setting) => setting.name === name);

test('every setting is shown, and none of its secrets', () => {
  settingList.parse({ settings: shown });
  expect(shown.map(({ name }) => name).toSorted()).toEqual(Object.keys(gatewaySettings).toSorted());
  const text = JSON.stringify(shown);
  expect(text).not.toContain('hush');
  expect(text).not.toContain(key);
});

test.each([
  ['rediss://app:hush@a.example:1,b.example:2', 'rediss://a.example:1,b.example:2'],
  ['redis://:hush@a.example,redis://:hush@b.example', 'redis://a.example,redis://b.example'],
  ['redis://:hu@sh@a.example:1', 'redis://a.example:1'],
])('of several servers none shows its password: %s', (url, expected) => {
  expect(shownSettings({ REDIS_URL: z.string() }, { REDIS_URL: url })[0]?.value).toBe(expected);
});

test.each([
  ['REDIS_URL', { value: 'rediss://redis.example:6380/2', is_secret: false, is_default: false }],
  ['DATABASE_URL', { value: 'postgresql://db.example/invoq', is_default: false }],
  ['SEALING_KEYS', { value: '[secret]', is_secret: true }],
  ['JWT_SECRET', { value: '[secret]', is_secret: true }],
  ['MODEL_API_KEY', { value: '[secret]', is_secret: true }],
  ['MODEL_BASE_URL', { value: 'https://models.example/v1' }],
  ['CORS_ORIGINS', { value: ['https://a.example', 'https://b.example'], is_default: false }],
  ['RATE_LIMIT_FREE', { value: 7, is_default: false }],
  ['RATE_LIMIT_PRO', { value: 5_000, is_default: true }],
  ['METRICS_PORT', { value: null, is_default: true }],
])('%s', (name, expected) => {
  expect(one(name)).toMatchObject(expected);
});
