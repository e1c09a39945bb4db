import { getRouteApi } from '@tanstack/react-router';
import { JsonBlock } from '../../components/code-block.js';
import { Drawing } from '../../components/drawings/drawing.js';
import { EmptyState } from '../../components/empty-state.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { RunLog } from '../../components/run/run-log.js';
import { RunTimeline } from '../../components/run/run-timeline.js';
import { runText } from '../../components/run/text.js';
import { TraceView } from '../../components/run/trace-view.js';
import { Tabs } from '../../components/tabs.js';
import type { RunDetail } from '../../data/api.js';
import { isOpen } from '../../data/runs.js';
import type { RunEvents } from '../../data/use-run-events.js';
import { useText } from '../../language/use-text.js';
import { runScreenText } from './run-screen-text.js';

const route = getRouteApi('/runs/$jobId');
const tabs = ['timeline', 'log', 'trace', 'input', 'result'] as const;
type Tab = (typeof tabs)[number];

interface RunSectionsProps {
  readonly run: RunDetail;
  readonly stream: RunEvents;
}

export function RunSections(props: RunSectionsProps) {
  const words = useText(runScreenText);
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

function Section({ tab, run, stream }: RunSectionsProps & { readonly tab: Tab }) {
  if (tab === 'trace') return <TraceView traceId={run.trace_id} version={run.state} />;
  if (tab === 'log') {
    const attempts = stream.events.filter(({ event }) => event !== 'tool_progress').length;
    return <RunLog traceId={run.trace_id} version={`${run.state} ${attempts}`} isOpen={isOpen(run)} />;
  }
  if (tab === 'timeline') {
    return (
      <div className="stack" style={{ padding: 'var(--s4)' }}>
        <StreamNotice state={stream.state} />
        <RunTimeline events={stream.events} />
      </div>
    );
  }
  return (
    <div className="stack" style={{ padding: 'var(--s4)' }}>
      {tab === 'input' ? <Parameters run={run} /> : <Result run={run} />}
    </div>
  );
}

function StreamNotice({ state }: Pick<RunEvents, 'state'>) {
  const words = useText(runText);
  if (state === 'lost') return <Notice tone="warn">{words.lost}</Notice>;
  return state === 'gone' ? <Notice tone="warn">{words.gone}</Notice> : null;
}

function Parameters({ run }: { readonly run: RunDetail }) {
  const words = useText(runScreenText);
  return (
    <>
      <p className="soft">{words.inputStates[run.input_state]}</p>
      {run.input && <JsonBlock label={words.tabs.input} value={run.input} />}
    </>
  );
}

function Result({ run }: { readonly run: RunDetail }) {
  const words = useText(runScreenText);
  if (!run.result) {
    return (
      <EmptyState icon="clock" title={words.noResult}>
        <p>{words.noResultHelp}</p>
      </EmptyState>
    );
  }
  return (
    <>
      {run.result.success && <Drawing tool={run.tool_name} data={run.result.data} input={run.input ?? {}} />}
      <JsonBlock label={words.tabs.result} value={run.result} />
    </>
  );
}
