import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { quotaSettings } from './quota-settings.js';

const settings = z.object(quotaSettings);

test.each([
  [{}, 'UTC'],
  [{ QUOTA_TZ: 'Asia/Shanghai' }, 'Asia/Shanghai'],
  [{ QUOTA_TZ: 'America/Argentina/Buenos_Aires' }, 'America/Argentina/Buenos_Aires'],
])('%j counts days of %s', (env, zone) => {
  expect(settings.parse(env)).toEqual({ QUOTA_TZ: zone });
});

test.each(['Asia/Atlantis', 'midnight', ''])('%j is no time zone, and the message gives an example of one', (zone) => {
  expect(() => settings.parse({ QUOTA_TZ: zone })).toThrow(/must be an IANA time zone such as Asia\/Shanghai/);
});
