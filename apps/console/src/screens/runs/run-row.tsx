import { Link } from '@tanstack/react-router';
import type { CallRow } from '#lib/contracts';
import { Badge, CodeBadge, StateBadge } from '../../components/badge.js';
import { Ago } from '../../components/time.js';
import { isOpen, outcomeOf } from '../../data/runs.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { runsText } from './text.js';

interface RunRowProps {
  readonly run: CallRow;
  /** Whether they may be of several tenants. */
  readonly hasTenant: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (jobId: string) => void;
}

export function RunRow({ run, hasTenant, isSelected, onSelect }: RunRowProps) {
  const words = useText(runsText);
  const code = run.error && (run.error.native_code ?? run.error.code);
  return (
    <div className={`row run ${hasTenant ? 'of-all' : ''}`} data-job={run.job_id}>
      <input
        type="checkbox"
        aria-label={words.select(run.job_id)}
        disabled={!isOpen(run)}
        checked={isSelected && isOpen(run)}
        onChange={() => onSelect(run.job_id)}
      />
      <StateBadge state={run.state} isRefused={outcomeOf(run) === 'refused'} />
      <Link to="/runs/$jobId" params={{ jobId: run.job_id }} className="truncate">
        <code>{run.tool_name}</code> {run.replay_of !== null && <Badge>{words.replays}</Badge>}
      </Link>
      <span className="truncate">{code !== null && <CodeBadge code={code} />}</span>
      {hasTenant && <span className="truncate soft">{run.tenant_id}</span>}
      <span className="truncate soft">{run.user_id ?? <span className="faint">{words.ownKey}</span>}</span>
      <span className="number">
        {run.attempts_made}/{run.max_attempts}
      </span>
      <span className="number">{run.duration_ms === null ? '—' : formatMs(run.duration_ms)}</span>
      <span className="number faint">
        <Ago at={run.created_at} />
      </span>
    </div>
  );
}
