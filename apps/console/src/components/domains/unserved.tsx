import type { QueueState } from '#lib/contracts';
import { formatCount, formatSince } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Notice } from '../notice.js';
import { useNow } from '../time.js';
import type { ShownDomain } from './own-domains.js';
import { domainsText } from './text.js';

/** Only the day of a time depends on it. */
const dayTickMs = 60_000;
const mostShown = 5;

/** What an operator has to do something about: domains whose calls wait for a worker that is not there. */
export function Unserved({ queues, own }: { readonly queues: readonly QueueState[]; readonly own: readonly ShownDomain[] }) {
  const words = useText(domainsText);
  const language = useLanguage();
  const now = useNow(dayTickMs);
  const calls = (open: number) => words.calls(formatCount(open, language), open === 1);
  const lines = [
    ...queues
      .filter(({ workers, open }) => workers === 0 && open > 0)
      .map(({ domain, open }) => ({ key: domain, text: words.isUnserved(domain, calls(open)) })),
    ...own.flatMap(({ tenant_id, domain, unserved_since: since, open }) =>
      since !== null && open > 0
        ? [{ key: `${tenant_id} ${domain}`, text: words.waits(domain, formatSince(since, now, language), calls(open)) }]
        : [],
    ),
  ];
  if (lines.length === 0) return null;
  return (
    <Notice tone="bad">
      {lines.slice(0, mostShown).map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
      {lines.length > mostShown && <p>{words.more(lines.length - mostShown)}</p>}
    </Notice>
  );
}
