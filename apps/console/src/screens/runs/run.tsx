import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useCanGoBack, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { InvoqError } from '#lib/client';
import { StateBadge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { RunStrip } from '../../components/run/run-strip.js';
import { Screen } from '../../components/screen.js';
import { invoq } from '../../data/gateway.js';
import { useRun } from '../../data/run.js';
import { useText } from '../../language/use-text.js';
import { ReplayDialog } from './replay-dialog.js';
import { PastRun } from './past-run.js';
import { RunCause } from './run-cause.js';
import { RunFacts } from './run-facts.js';
import { runScreenText } from './run-screen-text.js';
import { RunSections } from './run-sections.js';

const route = getRouteApi('/runs/$jobId');

/** One call: what happened, how long it took, and what can be done with it. */
export function RunScreen() {
  const { jobId } = route.useParams();
  const words = useText(runScreenText);
  const { run, stream, isOpen } = useRun(jobId);
  const router = useRouter();
  const canGoBack = useCanGoBack();
  // To the list as it was left, with its filters and its place.
  const back = () => (canGoBack ? router.history.back() : void router.navigate({ to: '/runs' }));
  const [isReplaying, setIsReplaying] = useState(false);
  const cancel = useMutation({ mutationFn: () => invoq.cancel(jobId), onSettled: () => run.refetch() });
  const isExpired = run.error instanceof InvoqError && run.error.code === 'RESOURCE_NOT_FOUND';
  return (
    <Screen
      title={run.data?.tool_name ?? words.title(jobId)}
      lead={<IconButton icon="left" label={words.back} onClick={back} />}
      aside={
        <span className="line">
          {run.data && (
            <StateBadge state={run.data.state} isRefused={run.data.state === 'completed' && run.data.result?.success === false} />
          )}
          <code className="faint truncate">{jobId}</code>
          <CopyButton text={jobId} />
        </span>
      }
      actions={
        run.data && (
          <>
            {isOpen && (
              <Button look="danger" icon="stop" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
                {words.cancel}
              </Button>
            )}
            <Button icon="replay" onClick={() => setIsReplaying(true)}>
              {words.replay}
            </Button>
          </>
        )
      }
    >
      {cancel.error && <ErrorNotice error={cancel.error} />}
      {isExpired ? (
        <PastRun jobId={jobId} />
      ) : (
        <Loaded query={run} lines={10}>
          {(detail) => (
            <>
              <RunCause run={detail} />
              <Panel title={words.about}>
                <div className="stack">
                  <RunStrip run={detail} events={stream.events} />
                  <RunFacts run={detail} />
                </div>
              </Panel>
              <RunSections run={detail} stream={stream} />
              {isReplaying && <ReplayDialog run={detail} onClose={() => setIsReplaying(false)} />}
            </>
          )}
        </Loaded>
      )}
    </Screen>
  );
}
