import type { UseQueryResult } from '@tanstack/react-query';
import type { WorkerList } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { Panel } from '../../components/panel.js';
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
            <div className="table-wrap">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{words.domain}</th>
                    <th scope="col">{words.version}</th>
                    <th scope="col">{words.host}</th>
                    <th scope="col" style={{ width: '22%' }}>
                      {words.running}
                    </th>
                    <th scope="col">{words.since}</th>
                    <th scope="col">{words.seen}</th>
                  </tr>
                </thead>
                <tbody>
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
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
