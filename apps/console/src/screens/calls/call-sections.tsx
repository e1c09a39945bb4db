import { getRouteApi } from '@tanstack/react-router';
import { JsonBlock } from '../../components/code-block.js';
import { Drawing } from '../../components/drawings/drawing.js';
import { EmptyState } from '../../components/empty-state.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { CallLog } from '../../components/call/call-log.js';
import { CallTimeline } from '../../components/call/call-timeline.js';
import { callText } from '../../components/call/text.js';
import { TraceView } from '../../components/call/trace-view.js';
import { Tabs } from '../../components/tabs.js';
import type { CallDetail } from '../../data/api.js';
import { isOpen } from '../../data/calls.js';
import type { CallEvents } from '../../data/use-call-events.js';
import { useText } from '../../language/use-text.js';
import { callScreenText } from './call-screen-text.js';

const route = getRouteApi('/calls/$jobId');
const tabs = ['timeline', 'log', 'trace', 'input', 'result'] as const;
type Tab = (typeof tabs)[number];

interface CallSectionsProps {
  readonly call: CallDetail;
  readonly stream: CallEvents;
}

export function CallSections(props: CallSectionsProps) {
  const words = useText(callScreenText);
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = tabs.find((one) => one === tab) ?? 'timeline';
  return (
    <Panel padded={false}>
      <Tabs
        label={words.sections}
        value={chosen}
        tabs={tabs.map((one) => [one, words.tabs[one]] as const)}
        onChoose={(next) => void navigate({ to: '.', search: { tab: next }, replace: true })}
      >
        <Section tab={chosen} {...props} />
      </Tabs>
    </Panel>
  );
}

function Section({ tab, call, stream }: CallSectionsProps & { readonly tab: Tab }) {
  if (tab === 'trace') return <TraceView traceId={call.trace_id} version={call.state} />;
  if (tab === 'log') {
    const attempts = stream.events.filter(({ event }) => event !== 'tool_progress').length;
    return <CallLog jobId={call.job_id} traceId={call.trace_id} version={`${call.state} ${attempts}`} isOpen={isOpen(call)} />;
  }
  if (tab === 'timeline') {
    return (
      <div className="stack" style={{ padding: 'var(--s4)' }}>
        <StreamNotice state={stream.state} />
        <CallTimeline {...stream} />
      </div>
    );
  }
  return (
    <div className="stack" style={{ padding: 'var(--s4)' }}>
      {tab === 'input' ? <Parameters call={call} /> : <Result call={call} />}
    </div>
  );
}

function StreamNotice({ state }: Pick<CallEvents, 'state'>) {
  const words = useText(callText);
  if (state === 'lost') return <Notice tone="warn">{words.lost}</Notice>;
  return state === 'failed' ? <Notice tone="warn">{words.gone}</Notice> : null;
}

function Parameters({ call }: { readonly call: CallDetail }) {
  const words = useText(callScreenText);
  return (
    <>
      <p className="soft">{words.inputStates[call.input_state]}</p>
      {call.input && <JsonBlock label={words.tabs.input} value={call.input} />}
    </>
  );
}

function Result({ call }: { readonly call: CallDetail }) {
  const words = useText(callScreenText);
  if (!call.result) {
    return (
      <EmptyState icon="clock" title={words.noResult}>
        <p>{words.noResultHelp}</p>
      </EmptyState>
    );
  }
  return (
    <>
      {call.result.success && <Drawing tool={call.tool_name} data={call.result.data} input={call.input ?? {}} />}
      <JsonBlock label={words.tabs.result} value={call.result} />
    </>
  );
}
