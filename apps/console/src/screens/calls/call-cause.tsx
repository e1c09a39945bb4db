import type { Trace } from '#lib/client';
import { CodeBlock } from '../../components/code-block.js';
import { attemptsOf } from '../../components/call/own-attempts.js';
import { EnvelopeError } from '../../components/envelope-error.js';
import { Notice } from '../../components/notice.js';
import type { CallDetail } from '../../data/api.js';
import { useTrace } from '../../data/trace.js';
import { useText } from '../../language/use-text.js';
import { callScreenText } from './call-screen-text.js';

/** Why a call gave no success: what the tool threw, for those who may see it, and what its caller was told. */
export function CallCause({ call }: { readonly call: CallDetail }) {
  const words = useText(callScreenText);
  const { data: trace } = useTrace(call.trace_id, call.state);
  const thrown = trace && thrownIn(trace, call.job_id);
  const error = call.result?.error;
  if (!error) return null;
  return (
    <div className="stack tight">
      {thrown && (
        <Notice tone="bad">
          <div className="stack tight">
            <strong className="told">{thrown.message}</strong>
            <span className="soft">{words.thrown(thrown.type)}</span>
            {thrown.stack !== null && (
              <details>
                <summary>{words.stack}</summary>
                <CodeBlock label={words.stack} text={thrown.stack} />
              </details>
            )}
          </div>
        </Notice>
      )}
      <EnvelopeError error={error} />
    </div>
  );
}

interface Thrown {
  readonly type: string;
  readonly message: string;
  readonly stack: string | null;
}

/** What the last attempt threw; null where it threw nothing. */
function thrownIn(trace: Pick<Trace, 'spans'>, jobId: string): Thrown | null {
  const {
    'exception.message': message,
    'exception.type': type,
    'exception.stacktrace': stack,
  } = attemptsOf(trace, jobId).at(-1)?.attributes ?? {};
  if (typeof message !== 'string') return null;
  return { type: typeof type === 'string' ? type : 'Error', message, stack: typeof stack === 'string' ? stack : null };
}
