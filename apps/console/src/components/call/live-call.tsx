import { Link } from '@tanstack/react-router';
import { useCallEvents } from '../../data/use-call-events.js';
import { useText } from '../../language/use-text.js';
import { JsonBlock } from '../code-block.js';
import { Drawing } from '../drawings/drawing.js';
import { EnvelopeError } from '../envelope-error.js';
import { Icon } from '../icon.js';
import { Meter } from '../meter.js';
import { Notice } from '../notice.js';
import { Panel } from '../panel.js';
import type { Input } from '../schema-form/input.js';
import { CallTimeline } from './call-timeline.js';
import { callText } from './text.js';

interface LiveCallProps {
  readonly jobId: string;
  readonly toolName: string;
  /** Of the call, for drawings that compare the result with it. */
  readonly input: Input;
}

/** A call as it goes on, from its first event, also after a reload. */
export function LiveCall({ jobId, toolName, input }: LiveCallProps) {
  const words = useText(callText);
  const stream = useCallEvents(jobId);
  const { events, state } = stream;
  const last = events.at(-1);
  const progress = events.findLast((one) => one.event === 'tool_progress');
  const end = last?.event === 'tool_result' || last?.event === 'tool_error' ? last.data : null;
  return (
    <Panel
      title={words.stream}
      actions={
        <Link to="/calls/$jobId" params={{ jobId }}>
          {words.openCall} <Icon name="right" />
        </Link>
      }
    >
      <div className="stack">
        <Meter label={words.progressOf} value={end?.success ? 100 : (progress?.data.progress ?? 0)} max={100} tone="good" />
        {state === 'lost' && <Notice tone="warn">{words.lost}</Notice>}
        {state === 'failed' && <Notice tone="warn">{words.gone}</Notice>}
        <CallTimeline {...stream} />
        {end?.error && <EnvelopeError error={end.error} />}
        {end?.success && (
          <>
            <Drawing tool={toolName} data={end.data} input={input} />
            <JsonBlock label={words.result} value={end.data} />
          </>
        )}
      </div>
    </Panel>
  );
}
