import { Link } from '@tanstack/react-router';
import type { QueueState } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { WaitingCalls } from '../../components/domains/domain-state.js';
import { Meter } from '../../components/meter.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { homeText } from './text.js';

/** How full each queue is, and who works on it. */
export function Queues({ queues }: { readonly queues: readonly QueueState[] }) {
  const words = useText(homeText);
  const language = useLanguage();
  return (
    <Panel title={words.queues} padded={false}>
      <Table
        columns={[
          words.domain,
          { title: words.waiting, isNumber: true },
          { title: words.open, isNumber: true },
          { title: words.bound, width: '24%' },
          { title: words.workers, isNumber: true },
        ]}
      >
        {queues.map(({ domain, limit, workers, ...depth }) => (
          <tr key={domain}>
            <td>{domain}</td>
            <td className="number">
              <WaitingCalls depth={depth} />
            </td>
            <td className="number">
              {formatCount(depth.open, language)} <span className="faint">/ {formatCount(limit, language)}</span>
            </td>
            <td>
              <Meter label={words.queueOf(domain)} value={depth.open} max={limit} />
            </td>
            <td className="number">
              <Link to="/health">{workers > 0 ? formatCount(workers, language) : <Badge tone="bad">{words.noWorker}</Badge>}</Link>
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
