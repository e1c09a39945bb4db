import { useEffect, useState } from 'react';
import { useLanguage } from '../language/use-text.js';
import { formatAgo, formatTime } from '../language/format.js';

const tickMs = 5_000;

interface AgoProps {
  readonly at: string;
  /** It has happened, whatever the clock of another machine says. */
  readonly isPast?: boolean;
}

/** How long ago, with the whole time as its title. */
export function Ago({ at, isPast = false }: AgoProps) {
  const language = useLanguage();
  const now = useNow(tickMs);
  return (
    <time dateTime={at} title={formatTime(at, language)}>
      {formatAgo(at, isPast ? Math.max(now, new Date(at).getTime()) : now, language)}
    </time>
  );
}

/** The present time in epoch milliseconds, renewed at an interval. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
