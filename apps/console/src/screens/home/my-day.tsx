import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Count } from '../../components/count.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Stats } from '../../components/stats.js';
import { CodeBadge, StateBadge } from '../../components/badge.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { api } from '../../data/api.js';
import { outcomeOf, useCallList } from '../../data/calls.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { homeText } from './text.js';

const shownCalls = 8;

/** What the caller has used today, and last did. */
export function MyDay({ hasCalls }: { readonly hasCalls: boolean }) {
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
      {hasCalls && <LastCalls />}
    </>
  );
}

function LastCalls() {
  const words = useText(homeText);
  const { pages, calls, waiting, showWaiting } = useCallList({});
  return (
    <Panel
      title={words.lastCalls}
      padded={false}
      actions={
        <>
          {waiting > 0 && (
            <button type="button" className="button small primary" onClick={showWaiting}>
              +<Count of={waiting} />
            </button>
          )}
          <Link to="/calls">{words.allCalls}</Link>
        </>
      }
    >
      <Loaded query={pages}>
        {() =>
          calls.length === 0 ? (
            <p className="faint list-note">{words.noCalls}</p>
          ) : (
            <Table columns={[words.state, words.tool, words.error, { title: words.accepted, isNumber: true }]}>
              {calls.slice(0, shownCalls).map((call) => (
                <tr key={call.job_id}>
                  <td>
                    <StateBadge state={call.state} isRefused={outcomeOf(call) === 'refused'} />
                  </td>
                  <td>
                    <Link to="/calls/$jobId" params={{ jobId: call.job_id }}>
                      <code>{call.tool_name}</code>
                    </Link>
                  </td>
                  <td>{call.error && <CodeBadge code={call.error.code} />}</td>
                  <td className="number faint">
                    <Ago at={call.created_at} />
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
