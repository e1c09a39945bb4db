import type { ReactNode } from 'react';
import { useLostSince } from '../data/contact.js';
import { formatClock } from '../language/format.js';
import { useLanguage, useText } from '../language/use-text.js';
import { Notice } from './notice.js';
import { shared } from './text.js';
import { useNow } from './time.js';

const tickMs = 1_000;
/** What is younger is as good as live. */
const staleMs = 8_000;

interface StaleProps {
  /** Epoch ms; null before the first answer. */
  readonly heardAt: number | null;
  /** How long an answer is as good as live, in ms. */
  readonly afterMs?: number;
  readonly children?: ReactNode;
}

/** Says that what is shown is old, because the gateway gives no answer, and greys it. */
export function Stale({ heardAt, afterMs = staleMs, children }: StaleProps) {
  const words = useText(shared);
  const language = useLanguage();
  // Then the whole page says so.
  const isLost = useLostSince() !== null;
  const now = useNow(tickMs);
  const isStale = heardAt !== null && now - heardAt >= afterMs;
  return (
    <>
      {isStale && !isLost && <Notice tone="warn">{words.stale(formatClock(new Date(heardAt).toISOString(), language))}</Notice>}
      {children !== undefined && <div className={`stack ${isStale ? 'stale' : ''}`}>{children}</div>}
    </>
  );
}
