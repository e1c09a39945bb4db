import { useText } from '../language/use-text.js';
import { CodeBadge } from './badge.js';
import { culpritOf } from './culprit.js';
import { Notice } from './notice.js';
import { shared } from './text.js';

/** The `error` of an envelope: what is wrong, whose fault it is, and what to do. */
export function EnvelopeError({ error }: { readonly error: Readonly<Record<string, unknown>> }) {
  const words = useText(shared);
  const { code, native_code: native, message, hint, suggestion } = error;
  return (
    <Notice tone="bad">
      <div className="stack tight">
        <div className="line wrap">
          <CodeBadge code={String(code)} />
          {typeof native === 'string' && native !== code && <CodeBadge code={native} />}
          <span className="faint">{words.fault[culpritOf(String(code))]}</span>
        </div>
        <p>{String(message)}</p>
        {[hint, suggestion]
          .filter((line) => typeof line === 'string')
          .map((line) => (
            <p key={line} className="soft">
              {line}
            </p>
          ))}
      </div>
    </Notice>
  );
}
