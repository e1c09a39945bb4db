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
import { RestNotice } from '../../components/call/rest-reason.js';
import { CallStrip } from '../../components/call/call-strip.js';
import { Screen } from '../../components/screen.js';
import { invoq } from '../../data/gateway.js';
import { useCall } from '../../data/call.js';
import { useText } from '../../language/use-text.js';
import { ReplayDialog } from './replay-dialog.js';
import { PastCallView } from './past-call.js';
import { CallCause } from './call-cause.js';
import { CallFactList } from './call-fact-list.js';
import { callScreenText } from './call-screen-text.js';
import { CallSections } from './call-sections.js';

const route = getRouteApi('/calls/$jobId');

/** One call: what happened, how long it took, and what can be done with it. */
export function CallScreen() {
  const { jobId } = route.useParams();
  const words = useText(callScreenText);
  const { call, stream, isOpen } = useCall(jobId);
  const router = useRouter();
  const canGoBack = useCanGoBack();
  // To the list as it was left, with its filters and its place.
  const back = () => (canGoBack ? router.history.back() : void router.navigate({ to: '/calls' }));
  const [isReplaying, setIsReplaying] = useState(false);
  const cancel = useMutation({ mutationFn: () => invoq.cancel(jobId), onSettled: () => call.refetch() });
  const isExpired = call.error instanceof InvoqError && call.error.code === 'RESOURCE_NOT_FOUND';
  return (
    <Screen
      title={call.data?.tool_name ?? words.title(jobId)}
      lead={<IconButton icon="left" label={words.back} onClick={back} />}
      aside={
        <span className="line">
          {call.data && (
            <StateBadge state={call.data.state} isRefused={call.data.state === 'completed' && call.data.result?.success === false} />
          )}
          <code className="faint truncate">{jobId}</code>
          <CopyButton text={jobId} />
        </span>
      }
      actions={
        call.data && (
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
        <PastCallView jobId={jobId} />
      ) : (
        <Loaded query={call} lines={10}>
          {(detail) => (
            <>
              {isOpen && detail.rest && <RestNotice rest={detail.rest} />}
              <CallCause call={detail} />
              <Panel title={words.about}>
                <div className="stack">
                  <CallStrip call={detail} events={stream.events} />
                  <CallFactList call={detail} />
                </div>
              </Panel>
              <CallSections call={detail} stream={stream} />
              {isReplaying && <ReplayDialog call={detail} onClose={() => setIsReplaying(false)} />}
            </>
          )}
        </Loaded>
      )}
    </Screen>
  );
}
