import type { OwnQueueState } from '#lib/contracts';
import { formatCount, formatMs, formatSince } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Badge } from '../badge.js';
import { useNow } from '../time.js';
import { domainsText } from './text.js';

/** Only the day of a time depends on it. */
const dayTickMs = 60_000;

type Depth = Pick<OwnQueueState, 'open' | 'waiting' | 'oldest_waiting_at'>;

/** Whether somebody serves it; red where calls wait for nobody. */
export function DomainState({ domain }: { readonly domain: Depth & Pick<OwnQueueState, 'unserved_since'> }) {
  const words = useText(domainsText);
  const language = useLanguage();
  const now = useNow(dayTickMs);
  const { unserved_since: since, open } = domain;
  if (since === null) return <Badge tone="good">{words.served}</Badge>;
  return <Badge tone={open > 0 ? 'bad' : 'warn'}>{words.noWorkerSince(formatSince(since, now, language))}</Badge>;
}

/** Calls that wait for a worker, and how long the first of them has. */
export function WaitingCalls({ depth: { waiting, oldest_waiting_at: oldest } }: { readonly depth: Depth }) {
  const language = useLanguage();
  return (
    <>
      {formatCount(waiting, language)}{' '}
      {waiting > 0 && oldest !== null && (
        <span className="faint">
          <WaitedFor since={oldest} />
        </span>
      )}
    </>
  );
}

/** How long the oldest has waited. */
export function WaitedFor({ since }: { readonly since: string }) {
  const words = useText(domainsText);
  const now = useNow(1_000);
  return words.oldest(formatMs(Math.max(0, now - new Date(since).getTime())));
}
