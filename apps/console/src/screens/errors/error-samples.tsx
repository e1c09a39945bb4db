import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { EnvelopeError } from '../../components/envelope-error.js';
import { Loaded } from '../../components/loading.js';
import { Ago } from '../../components/time.js';
import { api } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import type { ErrorGroup } from './error-groups.js';
import { errorsText } from './text.js';

const shownSamples = 5;

/** What the newest of a kind said, and links to it and others. */
export function ErrorSamples({ group, scope }: { readonly group: ErrorGroup; readonly scope: string }) {
  const words = useText(errorsText);
  const [newest] = group.runs;
  const sample = useQuery({
    queryKey: ['run', newest?.job_id],
    queryFn: () => api.run(newest?.job_id ?? ''),
    enabled: newest !== undefined,
  });
  return (
    <div className="stack tight">
      <p className="soft">{words.sample}</p>
      <Loaded query={sample}>{({ result }) => result?.error && <EnvelopeError error={result.error} />}</Loaded>
      <ul className="line wrap">
        {group.runs.slice(0, shownSamples).map((run) => (
          <li key={run.job_id}>
            <Link className="button small" to="/runs/$jobId" params={{ jobId: run.job_id }}>
              <code>{run.job_id.slice(-8)}</code> <Ago at={run.created_at} />
            </Link>
          </li>
        ))}
        <li>
          <Link className="button small quiet" to="/runs" search={{ scope, tool: group.tool, code: group.code }}>
            {words.allOfThem}
          </Link>
        </li>
      </ul>
    </div>
  );
}
