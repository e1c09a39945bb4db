import { z } from 'zod';
import { sensitive } from '../../marks.js';

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Date, time and time zone of a birth, as both charts need them. */
export const birthMoment = {
  birth_date: sensitive(z.iso.date().refine((date) => date >= '1900-01-01' && date <= '2100-12-31', 'must be from 1900 to 2100')).describe(
    'Civil date of birth, YYYY-MM-DD, 1900–2100.',
  ),
  birth_time: sensitive(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM'))
    .optional()
    .describe('Civil time of birth, HH:MM on a 24-hour clock; leave it out when it is not known.'),
  timezone: sensitive(z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Asia/Shanghai'))
    .default('Asia/Shanghai')
    .describe('IANA time zone of the place of birth.'),
};
