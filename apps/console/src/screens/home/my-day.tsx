import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Stats } from '../../components/stats.js';
import { CodeBadge, StateBadge } from '../../components/badge.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { api } from '../../data/api.js';
import { useRunList } from '../../data/runs.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { FirstCall } from './first-call.js';
import { homeText } from './text.js';

const shownRuns = 8;

/** What the caller has used today, and last did. */
export function MyDay({ hasRuns }: { readonly hasRuns: boolean }) {
  const words = useText(homeText);
  const language = useLanguage();
  const usage = useQuery({ queryKey: ['usage'], queryFn: api.usage });
  const limit = (value: number | null) => (value === null ? '' : words.of(formatCount(value, language)));
  return (
    <>
      <h2>{words.myDay}</h2>
      <Loaded query={usage} lines={2}>
        {({ calls, chat }) => (
          <Stats
            stats={[
              { label: words.callsToday, value: formatCount(calls.days[0]?.used ?? 0, language), aside: limit(calls.limit) },
              { label: words.conversations, value: formatCount(chat.conversations.used, language), aside: limit(chat.conversations.limit) },
              { label: words.tokens, value: formatCount(chat.tokens.used, language), aside: limit(chat.tokens.limit) },
            ]}
          />
        )}
      </Loaded>
      {hasRuns && <LastRuns />}
    </>
  );
}

function LastRuns() {
  const words = useText(homeText);
  const { pages, runs, waiting, showWaiting } = useRunList({});
  return (
    <Panel
      title={words.lastRuns}
      padded={false}
      actions={
        <>
          {waiting > 0 && (
            <button type="button" className="button small primary" onClick={showWaiting}>
              +{waiting}
            </button>
          )}
          <Link to="/runs">{words.allRuns}</Link>
        </>
      }
    >
      <Loaded query={pages}>
        {() =>
          runs.length === 0 ? (
            <FirstCall />
          ) : (
            <Table columns={[words.state, words.tool, words.error, { title: words.accepted, isNumber: true }]}>
              {runs.slice(0, shownRuns).map((run) => (
                <tr key={run.job_id}>
                  <td>
                    <StateBadge state={run.state} />
                  </td>
                  <td>
                    <Link to="/runs/$jobId" params={{ jobId: run.job_id }}>
                      <code>{run.tool_name}</code>
                    </Link>
                  </td>
                  <td>{run.error && <CodeBadge code={run.error.code} />}</td>
                  <td className="number faint">
                    <Ago at={run.created_at} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  );
}
