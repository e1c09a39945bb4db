import { formatClock } from '../language/format.js';
import { useLanguage, useText } from '../language/use-text.js';
import { Notice } from './notice.js';
import { shared } from './text.js';
import { useNow } from './time.js';

const tickMs = 1_000;
/** What is younger is as good as live. */
const staleMs = 8_000;

/** Says that what is shown is old, because the gateway gives no answer. @param heardAt epoch ms; null before the first answer */
export function Stale({ heardAt }: { readonly heardAt: number | null }) {
  const words = useText(shared);
  const language = useLanguage();
  const now = useNow(tickMs);
  if (heardAt === null || now - heardAt < staleMs) return null;
  return <Notice tone="warn">{words.stale(formatClock(new Date(heardAt).toISOString(), language))}</Notice>;
}
