import { getRouteApi } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.js';
import { Panel } from '../../components/panel.js';
import { TraceView } from '../../components/call/trace-view.js';
import { callText } from '../../components/call/text.js';
import { Screen } from '../../components/screen.js';
import { useText } from '../../language/use-text.js';

const route = getRouteApi('/traces/$traceId');

/** What happened under a trace id, also where nothing became a call. */
export function TraceScreen() {
  const { traceId } = route.useParams();
  const words = useText(callText);
  return (
    <Screen
      title={words.traceTitle}
      aside={
        <span className="line">
          <code className="faint truncate">{traceId}</code>
          <CopyButton text={traceId} />
        </span>
      }
    >
      <Panel padded={false}>
        <TraceView traceId={traceId} />
      </Panel>
    </Screen>
  );
}
