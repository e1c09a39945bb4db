// Times that are counted back from now, as they stand in addresses: a link that is opened tomorrow shows tomorrow's.
import { dictionary } from './dictionary.js';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const lengths = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
} as const;

export type Window = keyof typeof lengths;

/** The window of that name; undefined for none. */
export function windowOf(name: string | undefined): Window | undefined {
  return name !== undefined && isWindow(name) ? name : undefined;
}

function isWindow(name: string): name is Window {
  return name in lengths;
}

/** When a window begins, ISO 8601. @param now epoch ms */
export function beginOf(window: Window, now: number): string {
  return new Date(now - lengths[window]).toISOString();
}

export const windowText = dictionary({
  en: {
    short: { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    last: {
      '15m': 'the last 15 minutes',
      '1h': 'the last hour',
      '6h': 'the last 6 hours',
      '24h': 'the last 24 hours',
      '7d': 'the last 7 days',
      '30d': 'the last 30 days',
      '90d': 'the last 90 days',
    },
  },
  'zh-CN': {
    short: { '15m': '15 分钟', '1h': '1 小时', '6h': '6 小时', '24h': '24 小时', '7d': '7 天', '30d': '30 天', '90d': '90 天' },
    last: {
      '15m': '最近 15 分钟',
      '1h': '最近 1 小时',
      '6h': '最近 6 小时',
      '24h': '最近 24 小时',
      '7d': '最近 7 天',
      '30d': '最近 30 天',
      '90d': '最近 90 天',
    },
  },
});
