import { z } from 'zod';

/** Settings of every process that counts chats: they must agree on where a day begins. */
export const quotaSettings = {
  /** Time zone whose midnight begins a day of the chat quota. */
  QUOTA_TZ: z.string().refine(isTimeZone, 'must be an IANA time zone such as Asia/Shanghai').default('UTC'),
} as const;

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
