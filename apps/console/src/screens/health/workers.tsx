import type { WorkerList } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Running } from '../../components/domains/running.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useText } from '../../language/use-text.js';
import { healthText } from './text.js';

/** The product's own worker processes. */
export function Workers({ workers }: Pick<WorkerList, 'workers'>) {
  const words = useText(healthText);
  return (
    <Panel title={words.workers} padded={false}>
      {workers.length === 0 ? (
        <EmptyState icon="errors" title={words.noWorkers}>
          <p>{words.noWorkersHelp}</p>
        </EmptyState>
      ) : (
        <Table
          isStacked
          columns={[words.domain, words.version, words.host, { title: words.running, width: '22%' }, words.since, words.seen]}
        >
          {workers.map(({ id, domain, version, host, pid, running, concurrency, since, seen_at }) => (
            <tr key={id}>
              <td>{domain}</td>
              <td>
                <Badge code>{version}</Badge>
              </td>
              <td className="soft">
                {host} · {pid}
              </td>
              <td>
                <Running label={`${words.running} ${domain}`} running={running} concurrency={concurrency} />
              </td>
              <td className="faint">
                <Ago at={since} />
              </td>
              <td className="faint">
                <Ago at={seen_at} isPast />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}
