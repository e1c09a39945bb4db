import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.js';
import { usePauses } from '../../data/pauses.js';
import { formatCount, formatMs, formatSince } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { useNow } from '../../components/time.js';
import { troubleOf, type DomainNow } from './trouble.js';
import { verdictText } from './verdict-text.js';

interface VerdictProps {
  readonly domains: readonly DomainNow[];
  /** System errors, and the calls among which they were, where that is known; of a time, in words. */
  readonly errors: { readonly system: number; readonly calls: number | null; readonly since: string; readonly window: string };
  readonly scope: 'tenant' | 'all';
}

const tickMs = 1_000;

/** What an operator has to do something about, in a sentence each, and a headline over all of them. */
export function Verdict({ domains, errors, scope }: VerdictProps) {
  const words = useText(verdictText);
  const language = useLanguage();
  const now = useNow(tickMs);
  const { data: pauses = [] } = usePauses();
  const { unserved, slow } = troubleOf(domains, now);
  const look = unserved.length > 0 ? 'bad' : slow.length > 0 || errors.system > 0 ? 'warn' : 'good';
  const served = domains.filter(({ workers }) => workers > 0).length;
  const count = (value: number) => formatCount(value, language);
  return (
    <section className={`panel verdict-head ${look}`} aria-label={words.title}>
      <Icon name={look === 'good' ? 'check' : 'errors'} />
      <div className="stack tight grow">
        <h2>{words.heads[look]}</h2>
        {unserved.length > 0 && (
          <Lines role="alert">
            {unserved.map(({ key, name, since, open }) => (
              <li key={key}>
                {since === null ? words.unserved(name, open) : words.unservedSince(name, formatSince(since, now, language), open)}
              </li>
            ))}
          </Lines>
        )}
        <Lines>
          {slow.map(({ key, name, waiting, waitedMs }) => (
            <li key={key}>{words.slow(name, count(waiting), formatMs(waitedMs))}</li>
          ))}
          <li>
            {errors.system > 0 ? (
              <Link to="/errors" search={{ cause: 'system', scope, since: errors.since }}>
                {words.errors(errors.system)}
              </Link>
            ) : (
              words.noErrors
            )}{' '}
            {errors.calls === null ? words.inWindow(errors.window) : words.ofCalls(errors.calls, errors.window)}
          </li>
          {served > 0 && <li>{words.served(served)}</li>}
          {pauses.map(({ name, reason, refuse, waiting }) => (
            <li key={name}>
              <Link to="/pauses">{words.paused(name)}</Link> {reason}{' '}
              <span className="faint">{refuse ? words.refuses : words.holds(waiting)}</span>
            </li>
          ))}
        </Lines>
      </div>
    </section>
  );
}

function Lines({ role, children }: { readonly role?: 'alert'; readonly children: ReactNode }) {
  return (
    <div role={role}>
      <ul>{children}</ul>
    </div>
  );
}
