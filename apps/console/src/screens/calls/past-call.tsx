import { Link } from '@tanstack/react-router';
import { CodeBadge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Panel } from '../../components/panel.js';
import { Facts } from '../../components/stats.js';
import { knownPast } from '../../data/calls.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { Moment } from './call-fact-list.js';
import { callScreenText } from './call-screen-text.js';

/** A call that is kept no more: what the history has of it, where the list was read from there. */
export function PastCallView({ jobId }: { readonly jobId: string }) {
  const words = useText(callScreenText);
  const past = knownPast(jobId);
  return (
    <>
      {past && (
        <Panel title={past.tool_name}>
          <Facts
            facts={[
              [words.tool, `${past.tool_name} ${past.tool_version}`],
              [words.caller, `${past.user_id ?? words.ownKey} · ${past.tenant_id}`],
              [words.key, <code key="key">{past.credential_id}</code>],
              [words.accepted, <Moment key="accepted" at={past.created_at} />],
              [words.finished, <Moment key="finished" at={past.finished_at} />],
              [words.whole, formatMs(past.duration_ms)],
              [words.attempts, words.attemptsOf(past.attempts_made, past.max_attempts)],
              ...(past.error ? ([[words.error, <CodeBadge key="error" code={past.error.native_code ?? past.error.code} />]] as const) : []),
            ]}
          />
        </Panel>
      )}
      <EmptyState icon="clock" title={past ? words.detailsExpired : words.expired}>
        <p>{words.expiredHelp}</p>
        <Link className="button" to="/calls">
          {words.back}
        </Link>
      </EmptyState>
    </>
  );
}
