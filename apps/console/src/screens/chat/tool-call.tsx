import { Link } from '@tanstack/react-router';
import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonBlock } from '../../components/code-block.js';
import { Drawing } from '../../components/drawings/drawing.js';
import { Icon } from '../../components/icon.js';
import { isInput } from '../../components/schema-form/input.js';
import { useText } from '../../language/use-text.js';
import { chatText } from './text.js';

/** Says yes or no to a request. @param request its id */
export type Decide = (request: string, approved: boolean) => void;

interface ToolCallProps {
  readonly tool: string;
  readonly part: ToolUIPart | DynamicToolUIPart;
  /** Null for a tool that runs within the turn. */
  readonly jobId: string | null;
  /** What somebody is asked about it; null where nobody is. */
  readonly question: string | null;
  readonly onDecide: Decide;
}

/** A tool that the agent called: drawn where there is a picture of its result, and linked to its call. */
export function ToolCall({ tool, part, jobId, question, onDecide }: ToolCallProps) {
  const words = useText(chatText);
  const output: unknown = part.state === 'output-available' ? part.output : undefined;
  const input = isInput(part.input) ? part.input : {};
  const { data, isFailure } = resultOf(output);
  const state = shownState(part, { isAsked: question !== null, isFailure });
  return (
    <div className="tool-call">
      <div className="line wrap">
        <Icon name="tools" />
        <code>{tool}</code>
        <Badge tone={tones[state]}>{words[state]}</Badge>
        <span className="grow" />
        {jobId !== null && (
          <Link to="/calls/$jobId" params={{ jobId }}>
            {words.openCall} <Icon name="right" />
          </Link>
        )}
      </div>
      {state === 'waiting' && question !== null && <p>{question}</p>}
      {part.state === 'approval-requested' && (
        <div className="line">
          <Button small look="primary" onClick={() => onDecide(part.approval.id, true)}>
            {words.approve}
          </Button>
          <Button small look="danger" onClick={() => onDecide(part.approval.id, false)}>
            {words.decline}
          </Button>
        </div>
      )}
      {state === 'done' && <Drawing tool={tool} data={data} input={input} />}
      <details>
        <summary>{words.parameters}</summary>
        <JsonBlock label={words.parameters} value={input} />
        {output !== undefined && <JsonBlock label={words.answer} value={output} />}
      </details>
    </div>
  );
}

const tones = { running: 'info', waiting: 'info', done: 'good', failed: 'bad', declined: 'bad' } as const;

function shownState(
  { state }: ToolCallProps['part'],
  { isAsked, isFailure }: { readonly isAsked: boolean; readonly isFailure: boolean },
): keyof typeof tones {
  switch (state) {
    case 'input-streaming':
    case 'approval-responded':
      return 'running';
    case 'input-available':
      return isAsked ? 'waiting' : 'running';
    case 'approval-requested':
      return 'waiting';
    case 'output-denied':
      return 'declined';
    case 'output-error':
      return 'failed';
    case 'output-available':
      return isFailure ? 'failed' : 'done';
  }
}

/** The agent hands on the data of a success alone, or its error. */
function resultOf(output: unknown): { readonly data: unknown; readonly isFailure: boolean } {
  return { data: output, isFailure: isInput(output) && isInput(output['error']) };
}
