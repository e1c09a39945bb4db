import { Link } from '@tanstack/react-router';
import type { ScheduleRun } from '#lib/client';
import { Badge, CodeBadge, StateBadge, type Tone } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { invoq } from '../../data/gateway.js';
import { schedulesKey } from '../../data/schedules.js';
import { usePages } from '../../data/use-pages.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { schedulesText } from './text.js';

const everyMs = 5_000;
const tones: Readonly<Record<ScheduleRun['state'], Tone>> = { due: 'info', called: 'good', skipped: 'warn', missed: 'warn', failed: 'bad' };

/** What became of each moment, the newest first. */
export function ScheduleRuns({ id }: { readonly id: string }) {
  const words = useText(schedulesText);
  const language = useLanguage();
  const pages = usePages({
    key: [schedulesKey, 'runs', id],
    read: (cursor, signal) => invoq.schedules.runs(id, { cursor, signal }),
    everyMs: useWhileTouched(everyMs),
  });
  return (
    <Panel padded={false} title={words.runs}>
      <Loaded query={pages} lines={6}>
        {({ pages: read }) => {
          const runs = read.flatMap(({ runs: list }) => list);
          if (runs.length === 0)
            return (
              <EmptyState icon="calls" title={words.noRuns}>
                <p>{words.noRunsHelp}</p>
              </EmptyState>
            );
          return (
            <>
              <Table isStacked columns={[words.moment, words.became, words.outcome, words.call]}>
                {runs.map(({ at, manual, state, job_id, job_state, error }) => (
                  <tr key={`${at}${manual}`}>
                    <td>
                      {formatTime(at, language)} {manual && <Badge>{words.byHand}</Badge>}
                    </td>
                    <td className="told">
                      <span className="line wrap">
                        <Badge tone={tones[state]}>{words.runStates[state]}</Badge>
                        {error && <CodeBadge code={error.code} />}
                      </span>
                      {error && <div className="soft">{error.message}</div>}
                    </td>
                    <td>
                      {job_state ? <StateBadge state={job_state} /> : <span className="faint">{job_id === null ? '—' : words.gone}</span>}
                    </td>
                    <td>
                      {job_id === null ? (
                        '—'
                      ) : (
                        <Link to="/calls/$jobId" params={{ jobId: job_id }}>
                          <code>{job_id}</code>
                        </Link>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
              <MoreButton pages={pages} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
