import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Batch } from '#lib/client';
import { Button } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { BackLink } from '../../components/detail-screen.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Screen } from '../../components/screen.js';
import { Stats } from '../../components/stats.js';
import { Ago } from '../../components/time.js';
import { batchesChanged, useBatch } from '../../data/batches.js';
import { invoq } from '../../data/gateway.js';
import { formatCount, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { BatchProgress, BatchState, endedOf } from './batch-progress.js';
import { BatchResults } from './batch-results.js';
import { batchesText } from './text.js';

const route = getRouteApi('/batches/$id');
const counted = ['waiting', 'active', 'resting', 'completed', 'failed', 'cancelled'] as const;

/** One batch: its counts as they change, and its results. */
export function BatchScreen() {
  const words = useText(batchesText);
  const { id } = route.useParams();
  const { read, batch, isOpen, feed } = useBatch(id);
  const [isCancelling, setIsCancelling] = useState(false);
  const back = <BackLink to="/batches" label={words.back} />;
  if (!batch)
    return (
      <Screen title={words.title} lead={back}>
        <Loaded query={read}>{() => null}</Loaded>
      </Screen>
    );
  const cancel = isOpen && (
    <Button look="danger" icon="stop" onClick={() => setIsCancelling(true)}>
      {words.cancel}
    </Button>
  );
  const aside = (
    <>
      <BatchState state={batch.state} />
      {isOpen && <FeedBadge state={feed.state} />}
    </>
  );
  return (
    <Screen title={words.one(id)} lead={back} aside={aside} actions={cancel}>
      {batch.reason !== null && (
        <Notice tone="warn">
          {words.reason}: {batch.reason}
        </Notice>
      )}
      <BatchProgress batch={batch} />
      <Counts batch={batch} />
      <BatchResults batch={batch} />
      {isCancelling && <CancelBatch batch={batch} onClose={() => setIsCancelling(false)} />}
    </Screen>
  );
}

function Counts({ batch }: { readonly batch: Batch }) {
  const words = useText(batchesText);
  const language = useLanguage();
  const { total, created_at, finished_at } = batch;
  return (
    <Stats
      stats={[
        { label: words.total, value: formatCount(total, language), aside: <Ago at={created_at} /> },
        ...counted.map((name) => ({ label: words.counts[name], value: formatCount(batch[name], language) })),
        ...(finished_at === null ? [] : [{ label: words.took, value: formatMs(Date.parse(finished_at) - Date.parse(created_at)) }]),
      ]}
    />
  );
}

function CancelBatch({ batch, onClose }: { readonly batch: Batch; readonly onClose: () => void }) {
  const words = useText(batchesText);
  const cancel = async () => {
    await invoq.batches.cancel(batch.batch_id);
    await batchesChanged();
  };
  return (
    <Confirm action={words.cancel} icon="stop" run={cancel} done={words.cancelled} onClose={onClose}>
      <p>
        <code>{batch.batch_id}</code>
      </p>
      <p>{words.cancelHelp(batch.total - endedOf(batch))}</p>
    </Confirm>
  );
}
