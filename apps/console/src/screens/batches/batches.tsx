import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Batch } from '#lib/client';
import { ApiLines } from '../../components/api-lines.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Select } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { batchesKey } from '../../data/batches.js';
import { invoq } from '../../data/gateway.js';
import { usePages } from '../../data/use-pages.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { formatCount, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { BatchProgress, BatchState } from './batch-progress.js';
import { CancelDialog } from './cancel-dialog.js';
import { ReplayDialog } from './replay-dialog.js';
import { batchesText } from './text.js';

const route = getRouteApi('/batches');
const states = ['accepting', 'running', 'completed', 'cancelled'] as const;
const everyMs = 5_000;

/** Your batches, the newest first, and what is done with many calls at once. */
export function Batches() {
  const words = useText(batchesText);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<'replay' | 'cancel' | null>(null);
  const state = states.find((one) => one === search.state);
  const pages = usePages({
    key: [batchesKey, 'list', state],
    read: (cursor, signal) => invoq.batches.list({ state, cursor, signal }),
    everyMs: useWhileTouched(everyMs),
  });
  const actions = (
    <>
      <Button look="danger" icon="stop" onClick={() => setOpen('cancel')}>
        {words.stop}
      </Button>
      <Button icon="replay" onClick={() => setOpen('replay')}>
        {words.replay}
      </Button>
    </>
  );
  return (
    <Screen title={words.title} actions={actions}>
      <div className="line wrap inline">
        <Select
          aria-label={words.state}
          value={state ?? ''}
          onChange={(event) => void navigate({ to: '.', search: { state: event.target.value }, replace: true })}
        >
          <option value="">{words.anyState}</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {words.states[one]}
            </option>
          ))}
        </Select>
      </div>
      <Panel padded={false} title={words.list}>
        <Loaded query={pages} lines={6}>
          {({ pages: read }) => {
            const rows = read.flatMap(({ batches }) => batches);
            if (rows.length === 0 && !pages.hasNextPage)
              return (
                <EmptyState icon="batches" title={state ? words.noneFits : words.none}>
                  <p>{words.noneHelp}</p>
                  <ApiLines
                    lines={[
                      `echo '{"name":"get_weather","arguments":{"location":"Beijing"}}' > calls.ndjson`,
                      'npx invoq batch calls.ndjson',
                    ]}
                  />
                </EmptyState>
              );
            return (
              <>
                <Table
                  isStacked
                  columns={[
                    words.batch,
                    words.state,
                    { title: words.progress, width: '34%' },
                    { title: words.counts.failed, isNumber: true },
                    words.begun,
                    { title: words.took, isNumber: true },
                  ]}
                >
                  {rows.map((batch) => (
                    <Row key={batch.batch_id} batch={batch} />
                  ))}
                </Table>
                <MoreButton pages={pages} />
              </>
            );
          }}
        </Loaded>
      </Panel>
      {open === 'replay' && <ReplayDialog jobIds={null} onClose={() => setOpen(null)} />}
      {open === 'cancel' && <CancelDialog onClose={() => setOpen(null)} />}
    </Screen>
  );
}

function Row({ batch }: { readonly batch: Batch }) {
  const language = useLanguage();
  const { batch_id, failed, created_at, finished_at } = batch;
  return (
    <tr>
      <td>
        <Link to="/batches/$id" params={{ id: batch_id }}>
          <code>{batch_id}</code>
        </Link>
      </td>
      <td>
        <BatchState state={batch.state} />
      </td>
      <td>
        <BatchProgress batch={batch} />
      </td>
      <td className={`number ${failed > 0 ? 'fault' : 'faint'}`}>{formatCount(failed, language)}</td>
      <td className="faint">
        <Ago at={created_at} />
      </td>
      <td className="number faint">{finished_at === null ? '—' : formatMs(Date.parse(finished_at) - Date.parse(created_at))}</td>
    </tr>
  );
}
