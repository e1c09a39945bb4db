import { Link } from '@tanstack/react-router';
import type { ToolDefinition } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { JsonBlock } from '../../components/code-block.js';
import { Drawing } from '../../components/drawings/drawing.js';
import { EnvelopeError } from '../../components/envelope-error.js';
import { Icon } from '../../components/icon.js';
import { isInput, type Input } from '../../components/schema-form/input.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import type { CallAnswer } from './call-tool.js';
import { playgroundText } from './playground-text.js';

interface CallAnswerViewProps {
  readonly tool: ToolDefinition;
  readonly answer: CallAnswer;
  readonly input: Input;
  /** False where the stream beside it draws the result. */
  readonly isDrawn: boolean;
}

/** An answer as it came: status, time, headers, body, and the data drawn where there is a drawing for it. */
export function CallAnswerView({ tool, answer, input, isDrawn }: CallAnswerViewProps) {
  const words = useText(playgroundText);
  const { status, body, headers, tookMs, jobId } = answer;
  const data = isInput(body) && body['success'] === true ? body['data'] : undefined;
  return (
    <section className="stack tight" aria-label={words.result}>
      <div className="line wrap">
        <Badge tone={status < 400 ? 'good' : 'bad'} code>
          {status}
        </Badge>
        <span className="faint">
          {formatMs(tookMs)} {words.took}
        </span>
        {isFromCache(body) && <Badge tone="info">{words.cached}</Badge>}
        <span className="grow" />
        {jobId !== null && (
          <Link to="/calls/$jobId" params={{ jobId }}>
            {words.openCall} <Icon name="right" />
          </Link>
        )}
      </div>
      {isInput(body) && isInput(body['error']) && <EnvelopeError error={body['error']} />}
      {isDrawn && data !== undefined && <Drawing tool={tool.name} data={data} input={input} />}
      <JsonBlock label={words.body} value={body} />
      <details>
        <summary>{words.headers}</summary>
        <JsonBlock label={words.headers} value={Object.fromEntries(headers)} />
      </details>
    </section>
  );
}

function isFromCache(body: unknown): boolean {
  const metadata = isInput(body) && isInput(body['metadata']) ? body['metadata'] : {};
  return isInput(metadata['cache']) && metadata['cache']['hit'] === true;
}
