import type { UseQueryResult } from '@tanstack/react-query';
import type { WorkerList } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useText } from '../../language/use-text.js';
import { healthText } from './text.js';

export function Workers({ query }: { readonly query: UseQueryResult<WorkerList> }) {
  const words = useText(healthText);
  return (
    <Panel title={words.workers} padded={false}>
      <Loaded query={query}>
        {({ workers }) =>
          workers.length === 0 ? (
            <EmptyState icon="errors" title={words.noWorkers}>
              <p>{words.noWorkersHelp}</p>
            </EmptyState>
          ) : (
            <Table columns={[words.domain, words.version, words.host, { title: words.running, width: '22%' }, words.since, words.seen]}>
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
                    <div className="line">
                      <div className="grow">
                        <Meter label={`${words.running} ${domain}`} value={running} max={concurrency} />
                      </div>
                      <span className="number">
                        {running}/{concurrency}
                      </span>
                    </div>
                  </td>
                  <td className="faint">
                    <Ago at={since} />
                  </td>
                  <td className="faint">
                    <Ago at={seen_at} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  );
}
