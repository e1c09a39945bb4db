import type { OwnDomain } from '#lib/contracts';
import { Count } from '../count.js';
import { useText } from '../../language/use-text.js';
import { Badge } from '../badge.js';
import { EmptyState } from '../empty-state.js';
import { Panel } from '../panel.js';
import { Stats } from '../stats.js';
import { Table } from '../table.js';
import { Ago } from '../time.js';
import { DomainState, WaitingCalls } from './domain-state.js';
import { Running } from './running.js';
import { domainsText } from './text.js';

interface OwnDomainPanelsProps {
  readonly domains: readonly OwnDomain[];
  /** Whether they may be of several tenants. */
  readonly hasTenants: boolean;
}

/** Each domain of tenants' own workers: what it serves, who runs it, and what waits. */
export function OwnDomainPanels({ domains, hasTenants }: OwnDomainPanelsProps) {
  const words = useText(domainsText);
  if (domains.length === 0) {
    return (
      <Panel title={words.title}>
        <EmptyState icon="tools" title={words.none}>
          <p>{words.noneHelp}</p>
          <a className="button" href="/docs/tutorials/your-own-tool" target="_blank" rel="noreferrer">
            {words.howTo}
          </a>
        </EmptyState>
      </Panel>
    );
  }
  return domains.map((domain) => (
    <DomainPanel key={`${domain.tenant_id} ${domain.domain}`} domain={domain} tenant={hasTenants ? domain.tenant_id : null} />
  ));
}

function DomainPanel({ domain, tenant }: { readonly domain: OwnDomain; readonly tenant: string | null }) {
  const words = useText(domainsText);
  const { workers, connected, tools } = domain;
  return (
    <Panel
      title={
        <span className="line wrap">
          {words.title}: {domain.domain}
          {tenant !== null && <span className="faint">{tenant}</span>}
          <DomainState domain={domain} />
        </span>
      }
    >
      <div className="stack">
        <Stats
          stats={[
            { label: words.workers, value: <Count of={connected} /> },
            { label: words.waiting, value: <WaitingCalls depth={domain} /> },
            { label: words.open, value: <Count of={domain.open} /> },
          ]}
        />
        {tools.length > 0 && (
          <p className="line wrap">
            <span className="faint">{words.tools}</span>
            {tools.map((tool) => (
              <Badge key={tool} code>
                {tool}
              </Badge>
            ))}
          </p>
        )}
        {workers.length > 0 && (
          <Table columns={[words.name, words.key, { title: words.running, width: '26%' }, words.since]}>
            {workers.map(({ id, name, key_id, running, concurrency, since }) => (
              <tr key={id}>
                <td>{name ?? <code>{id}</code>}</td>
                <td>
                  <code>{key_id}</code>
                </td>
                <td>
                  <Running label={`${words.running} ${name ?? id}`} running={running} concurrency={concurrency} />
                </td>
                <td className="faint">
                  <Ago at={since} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        {connected > workers.length && <p className="faint">{words.more(connected - workers.length)}</p>}
      </div>
    </Panel>
  );
}
