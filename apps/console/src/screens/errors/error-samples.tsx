import { Link } from '@tanstack/react-router';
import type { ErrorKind, ErrorSample } from '#lib/client';
import { Table } from '../../components/table.js';
import type { ErrorsAsked } from '../../data/errors.js';
import { formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { errorsText } from './text.js';

interface ErrorSamplesProps {
  readonly kind: ErrorKind;
  readonly asked: ErrorsAsked;
}

/** The latest of a kind, each with the way to its call, or to the trace of what became no call. */
export function ErrorSamples({ kind, asked }: ErrorSamplesProps) {
  const words = useText(errorsText);
  const { tool_name: tool, native_code: native, code, samples } = kind;
  return (
    <div className="stack tight">
      <Table isStacked columns={[{ title: words.when, width: '190px' }, { title: words.who, width: '140px' }, words.said, words.call]}>
        {samples.map((sample) => (
          <SampleRow key={`${sample.at} ${sample.trace_id}`} sample={sample} />
        ))}
      </Table>
      {tool !== null && samples.some(({ job_id: job }) => job !== null) && (
        <p>
          <Link to="/calls" search={{ scope: asked.scope ?? 'tenant', tool, code: native ?? code, since: asked.window }}>
            {words.inCalls}
          </Link>
        </p>
      )}
    </div>
  );
}

function SampleRow({ sample: { at, trace_id: trace, job_id: job, user_id: user, message } }: { readonly sample: ErrorSample }) {
  const words = useText(errorsText);
  const language = useLanguage();
  return (
    <tr>
      <td className="soft nowrap">
        <time dateTime={at}>{formatTime(at, language)}</time>
      </td>
      <td className="told">{user ?? <span className="faint">{words.ownKey}</span>}</td>
      <td className="told">{message ?? <span className="faint">{words.messageGone}</span>}</td>
      <td>
        {job === null ? (
          <Link to="/traces/$traceId" params={{ traceId: trace }}>
            {words.openTrace}
          </Link>
        ) : (
          <Link to="/calls/$jobId" params={{ jobId: job }}>
            {words.openCall}
          </Link>
        )}
      </td>
    </tr>
  );
}
