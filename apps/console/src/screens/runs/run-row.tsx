import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts';
import { Badge, CodeBadge, StateBadge } from '../../components/badge.js';
import { Ago } from '../../components/time.js';
import { isOpen } from '../../data/runs.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { runsText } from './text.js';

export const runColumns = {
  gridTemplateColumns: '18px 118px minmax(140px, 1.4fr) minmax(120px, 1.2fr) minmax(80px, 0.8fr) 62px 84px 96px',
};

interface RunRowProps {
  readonly run: Run;
  readonly isSelected: boolean;
  readonly onSelect: (jobId: string) => void;
}

export function RunRow({ run, isSelected, onSelect }: RunRowProps) {
  const words = useText(runsText);
  const code = run.error && (run.error.native_code ?? run.error.code);
  return (
    <div className="row" style={runColumns} data-job={run.job_id}>
      <input
        type="checkbox"
        aria-label={words.select(run.job_id)}
        disabled={!isOpen(run)}
        checked={isSelected && isOpen(run)}
        onChange={() => onSelect(run.job_id)}
      />
      <StateBadge state={run.state} />
      <Link to="/runs/$jobId" params={{ jobId: run.job_id }} className="truncate">
        <code>{run.tool_name}</code> {run.replay_of !== null && <Badge>{words.replays}</Badge>}
      </Link>
      <span className="truncate">{code !== null && <CodeBadge code={code} />}</span>
      <span className="truncate soft">{run.user_id ?? run.tenant_id}</span>
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
