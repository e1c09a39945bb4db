import { Link } from '@tanstack/react-router';
import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import { Badge } from '../../components/badge.js';
import { JsonBlock } from '../../components/code-block.js';
import { Drawing } from '../../components/drawings/drawing.js';
import { Icon } from '../../components/icon.js';
import { isInput } from '../../components/schema-form/input.js';
import { useText } from '../../language/use-text.js';
import { chatText } from './text.js';

interface ToolCallProps {
  readonly tool: string;
  readonly part: ToolUIPart | DynamicToolUIPart;
  /** Null for a tool that runs within the turn. */
  readonly jobId: string | null;
}

/** A tool that the agent called: drawn where there is a picture of its result, and linked to its run. */
export function ToolCall({ tool, part, jobId }: ToolCallProps) {
  const words = useText(chatText);
  const output: unknown = part.state === 'output-available' ? part.output : undefined;
  const input = isInput(part.input) ? part.input : {};
  const { data, isFailure } = resultOf(output);
  const isOpen = part.state === 'input-streaming' || part.state === 'input-available';
  return (
    <div className="tool-call">
      <div className="line wrap">
        <Icon name="tools" />
        <code>{tool}</code>
        <Badge tone={isOpen ? 'info' : isFailure ? 'bad' : 'good'}>{isOpen ? words.running : isFailure ? words.failed : words.done}</Badge>
        <span className="grow" />
        {jobId !== null && (
          <Link to="/runs/$jobId" params={{ jobId }}>
            {words.run} <Icon name="right" />
          </Link>
        )}
      </div>
      {!isOpen && !isFailure && <Drawing tool={tool} data={data} input={input} />}
      <details>
        <summary>{words.parameters}</summary>
        <JsonBlock label={words.parameters} value={input} />
        {output !== undefined && <JsonBlock label={words.answer} value={output} />}
      </details>
    </div>
  );
}

/** The agent hands on the data of a success alone, or its error. */
function resultOf(output: unknown): { readonly data: unknown; readonly isFailure: boolean } {
  return { data: output, isFailure: isInput(output) && isInput(output['error']) };
}
