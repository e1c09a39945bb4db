import { Link } from '@tanstack/react-router';
import type { PagedCall } from '#lib/contracts';
import { Badge, CodeBadge, StateBadge } from '../../components/badge.js';
import { RestReason } from '../../components/call/rest-reason.js';
import { Ago } from '../../components/time.js';
import { isOpen, outcomeOf } from '../../data/calls.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { callsText } from './text.js';

interface CallListRowProps {
  readonly call: PagedCall;
  /** Whether they may be of several tenants. */
  readonly hasTenant: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (jobId: string) => void;
}

export function CallListRow({ call, hasTenant, isSelected, onSelect }: CallListRowProps) {
  const words = useText(callsText);
  const code = call.error && (call.error.native_code ?? call.error.code);
  return (
    <div className={`row call ${hasTenant ? 'of-all' : ''}`} data-job={call.job_id}>
      <input
        type="checkbox"
        aria-label={words.select(call.job_id)}
        disabled={!isOpen(call)}
        checked={isSelected && isOpen(call)}
        onChange={() => onSelect(call.job_id)}
      />
      <StateBadge state={call.state} isRefused={outcomeOf(call) === 'refused'} />
      <Link to="/calls/$jobId" params={{ jobId: call.job_id }} className="truncate">
        <code>{call.tool_name}</code> {call.replay_of !== null && <Badge>{words.replays}</Badge>}
      </Link>
      <span className="truncate">
        {code !== null && <CodeBadge code={code} />}
        {call.rest && isOpen(call) && (
          <span className="soft">
            <RestReason rest={call.rest} />
          </span>
        )}
      </span>
      {hasTenant && <span className="truncate soft">{call.tenant_id}</span>}
      <span className="truncate soft">{call.user_id ?? <span className="faint">{words.ownKey}</span>}</span>
      <span className="number">
        {call.attempts_made}/{call.max_attempts}
      </span>
      <span className="number">{call.duration_ms === null ? '—' : formatMs(call.duration_ms)}</span>
      <span className="number faint">
        <Ago at={call.created_at} />
      </span>
    </div>
  );
}
