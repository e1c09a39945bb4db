import { getToolName, isToolUIPart, type UIMessage } from 'ai';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Loading } from '../../components/loading.js';
import { Markdown } from '../../components/markdown.js';
import { useText } from '../../language/use-text.js';
import { chatText } from './text.js';
import { askedOf } from './asked.js';
import { ToolCall, type Decide } from './tool-call.js';

const TraceView = lazy(() => import('../../components/call/trace-view.js').then(({ TraceView: component }) => ({ default: component })));

interface MessageProps {
  readonly message: UIMessage;
  readonly onDecide: Decide;
}

export function Message({ message, onDecide }: MessageProps) {
  const words = useText(chatText);
  const [isTraced, setIsTraced] = useState(false);
  const traceId = traceOf(message.metadata);
  const jobs = jobsOf(message);
  const asked = askedOf(message);
  const isMine = message.role === 'user';
  return (
    <li className={`message ${message.role}`}>
      <div className="line spread">
        <strong>{isMine ? words.you : words.agent}</strong>
        {traceId !== null && (
          <Button small look="quiet" onClick={() => setIsTraced(true)}>
            {words.trace}
          </Button>
        )}
      </div>
      {message.parts.map((part, index) => {
        // Parts are only ever added at the end.
        const key = `${message.id} ${index}`;
        if (part.type === 'text') return <Markdown key={key} text={part.text} />;
        if (!isToolUIPart(part)) return null;
        const { toolCallId } = part;
        return (
          <ToolCall
            key={toolCallId}
            tool={getToolName(part)}
            part={part}
            jobId={jobs.get(toolCallId) ?? asked.get(toolCallId)?.jobId ?? null}
            question={asked.get(toolCallId)?.message ?? null}
            onDecide={onDecide}
          />
        );
      })}
      {isTraced && traceId !== null && (
        <Dialog title={words.trace} isWide onClose={() => setIsTraced(false)}>
          <Suspense fallback={<Loading />}>
            <TraceView traceId={traceId} />
          </Suspense>
        </Dialog>
      )}
    </li>
  );
}

function traceOf(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || !('traceId' in metadata)) return null;
  return typeof metadata.traceId === 'string' ? metadata.traceId : null;
}

/** Jobs of the tool calls of a message, by the id of the call. The agent's own tools run within its turn, and have none. */
function jobsOf({ parts }: UIMessage): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap((part): [string, string][] => {
      if (part.type !== 'data-run' || !('data' in part) || !isJobPart(part.data)) return [];
      return [[part.data.toolCallId, part.data.jobId]];
    }),
  );
}

function isJobPart(data: unknown): data is { readonly toolCallId: string; readonly jobId: string } {
  return typeof data === 'object' && data !== null && 'toolCallId' in data && 'jobId' in data && typeof data.jobId === 'string';
}
