import { Link } from '@tanstack/react-router';
import type { QueueState } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
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
          { title: words.open, isNumber: true },
          { title: words.bound, width: '34%' },
          { title: words.workers, isNumber: true },
        ]}
      >
        {queues.map(({ domain, open, limit, workers }) => (
          <tr key={domain}>
            <td>{domain}</td>
            <td className="number">
              {formatCount(open, language)} <span className="faint">/ {formatCount(limit, language)}</span>
            </td>
            <td>
              <Meter label={words.queueOf(domain)} value={open} max={limit} />
            </td>
            <td className="number">
              <Link to="/health">{workers > 0 ? workers : <Badge tone="bad">{words.noWorker}</Badge>}</Link>
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
