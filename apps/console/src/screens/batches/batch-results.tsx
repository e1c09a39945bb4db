import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Batch } from '#lib/client';
import { Count } from '../../components/count.js';
import { Badge, CodeBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Segments } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { VirtualRows } from '../../components/virtual-rows.js';
import { batchesKey, readResults, type ResultShown } from '../../data/batches.js';
import { formatCount, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { endedOf } from './batch-progress.js';
import { ReplayDialog } from './replay-dialog.js';
import { batchesText } from './text.js';

const route = getRouteApi('/batches/$id');
/** While a batch runs, results are read again after so many more have ended. */
const steps = 20;

/** What became of each call, all or the failed ones. */
export function BatchResults({ batch }: { readonly batch: Batch }) {
  const words = useText(batchesText);
  const language = useLanguage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isReplaying, setIsReplaying] = useState(false);
  const step = Math.ceil(Math.max(1, batch.total / steps));
  const results = useQuery({
    queryKey: [batchesKey, 'results', batch.batch_id, batch.finished_at ?? Math.floor(endedOf(batch) / step)],
    queryFn: ({ signal }) => readResults(batch.batch_id, signal),
    placeholderData: (before) => before,
  });
  const show = search.show === 'failed' ? 'failed' : 'all';
  const failed = results.data?.filter(({ error }) => error !== null) ?? [];
  const rows = show === 'failed' ? failed : (results.data ?? []);
  const replayable = failed.flatMap(({ jobId }) => jobId ?? []);
  return (
    <Panel
      padded={false}
      title={words.results}
      actions={
        <>
          {replayable.length > 0 && (
            <Button small icon="replay" onClick={() => setIsReplaying(true)}>
              {words.replay}
            </Button>
          )}
          <Segments
            label={words.show}
            value={show}
            choices={[
              ['all', words.shows.all],
              ['failed', `${words.shows.failed} ${formatCount(failed.length, language)}`],
            ]}
            onChoose={(chosen) => void navigate({ to: '.', search: { show: chosen }, replace: true })}
          />
        </>
      }
    >
      <Loaded query={results} lines={8}>
        {() =>
          rows.length === 0 ? (
            <EmptyState icon={show === 'failed' ? 'check' : 'calls'} title={show === 'failed' ? words.noFailed : words.noResults}>
              <p>{words.resultsHelp}</p>
            </EmptyState>
          ) : (
            <VirtualRows
              isWalked
              label={words.results}
              items={rows}
              keyOf={({ index }) => String(index)}
              height="min(560px, 70vh)"
              renderRow={(result) => <ResultRow result={result} />}
            />
          )
        }
      </Loaded>
      {isReplaying && <ReplayDialog jobIds={replayable} onClose={() => setIsReplaying(false)} />}
    </Panel>
  );
}

function ResultRow({ result: { index, id, tool, jobId, tookMs, error } }: { readonly result: ResultShown }) {
  const words = useText(batchesText);
  return (
    <div className="row batch-result">
      <span className="number faint">
        <Count of={index} />
      </span>
      <span className="truncate">
        {jobId === null ? (
          <code>{tool}</code>
        ) : (
          <Link to="/calls/$jobId" params={{ jobId }}>
            <code>{tool}</code>
          </Link>
        )}
        {id !== null && <span className="faint"> {id}</span>}
      </span>
      <span className="truncate">
        {error ? (
          <>
            <CodeBadge code={error.code} /> <span className="soft">{error.message}</span>
          </>
        ) : (
          <Badge tone="good">{words.ok}</Badge>
        )}
      </span>
      <span className="number faint">{tookMs === null ? '—' : formatMs(tookMs)}</span>
    </div>
  );
}
