// Numbers, times and durations as people read them.
import type { Language } from './dictionary.js';

/** `1,234` · `12.3K`. */
export function formatCount(value: number, language: Language): string {
  if (value < 100_000) return new Intl.NumberFormat(language).format(value);
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** `480 µs`, `12 ms`, `3.2 s`, `2 min 5 s`, `3 h 10 min`. The units are the same in both languages. */
export function formatMs(ms: number): string {
  if (ms === 0) return '0 ms';
  if (ms < 0.995) return `${Math.round(ms * 1_000)} µs`;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1_000).toFixed(ms < 9_950 ? 2 : 1))} s`;
  const all = Math.round(ms / 1_000);
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  const parts = hours > 0 ? [[hours, 'h'] as const, [minutes, 'min'] as const] : [[minutes, 'min'] as const, [seconds, 's'] as const];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Date and time of day with seconds, on the clock of the reader. */
export function formatTime(iso: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso));
}

/** Time of day with seconds, on the clock of the reader. */
export function formatClock(iso: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(
    new Date(iso),
  );
}

/** Day of the week, date and time on the clocks of a zone; of the reader where there is no such zone. */
export function formatZoned(iso: string, timeZone: string, language: Language): string {
  const shape = {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const;
  try {
    return new Intl.DateTimeFormat(language, { ...shape, timeZone }).format(new Date(iso));
  } catch {
    return new Intl.DateTimeFormat(language, shape).format(new Date(iso));
  }
}

/** The same with milliseconds. */
export function formatClockMs(at: number, language: Language): string {
  return `${formatClock(new Date(at).toISOString(), language)}.${String(at % 1_000).padStart(3, '0')}`;
}

const dayMs = 86_400_000;

/** Since when something is so: the time of day, with its date where that is not of the last day. */
export function formatSince(iso: string, now: number, language: Language): string {
  return now - new Date(iso).getTime() < dayMs ? formatClock(iso, language) : formatTime(iso, language);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `5 minutes ago`, `in 2 days`. */
export function formatAgo(iso: string, now: number, language: Language): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1_000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  for (const [unit, size] of steps) if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return Math.abs(seconds) < 2 ? format.format(0, 'second') : format.format(seconds, 'second');
}
