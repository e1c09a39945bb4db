import { useEffect } from 'react';
import { Icon } from '../components/icon.js';
import { shared } from '../components/text.js';
import { useNow } from '../components/time.js';
import { useLostSince, watchContact } from '../data/contact.js';
import { queries } from '../data/queries.js';
import { formatClock, formatMs } from '../language/format.js';
import { useLanguage, useText } from '../language/use-text.js';

const secondMs = 1_000;

/** Watches whether the gateway answers. Once it is back, all that is shown is read again. @returns since when it does not; null while it does */
export function useContact(): number | null {
  useEffect(() => {
    const watching = new AbortController();
    void watchContact(watching.signal, () => void queries.invalidateQueries());
    return () => watching.abort();
  }, []);
  return useLostSince();
}

/** Over the whole page: how old is what it shows. */
export function LostContact({ since }: { readonly since: number }) {
  const words = useText(shared);
  const language = useLanguage();
  const now = useNow(secondMs);
  const age = formatMs(Math.max(1, Math.round((now - since) / secondMs)) * secondMs);
  return (
    <div className="lost-contact" role="alert">
      <Icon name="errors" />
      <p>
        {words.stale(formatClock(new Date(since).toISOString(), language))} {/* The clock would be read aloud every second. */}
        <span className="number" aria-hidden="true">
          {words.age(age)}
        </span>
      </p>
    </div>
  );
}
