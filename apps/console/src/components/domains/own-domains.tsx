import type { OwnQueueState } from '#lib/contracts';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Panel } from '../panel.js';
import { Table } from '../table.js';
import { DomainState, WaitingCalls } from './domain-state.js';
import { domainsText } from './text.js';

export type ShownDomain = Omit<OwnQueueState, 'limit'>;

/** The domains of tenants' own workers: who serves them, and what waits. Nothing where there are none. */
export function OwnDomains({ domains, hasTenants }: { readonly domains: readonly ShownDomain[]; readonly hasTenants: boolean }) {
  const words = useText(domainsText);
  const language = useLanguage();
  if (domains.length === 0) return null;
  return (
    <Panel title={words.title} padded={false}>
      <Table
        columns={[
          words.domain,
          words.state,
          { title: words.workers, isNumber: true },
          { title: words.waiting, isNumber: true },
          { title: words.open, isNumber: true },
        ]}
      >
        {domains.map((domain) => (
          <tr key={`${domain.tenant_id} ${domain.domain}`}>
            <td>
              {domain.domain} {hasTenants && <span className="faint">{domain.tenant_id}</span>}
            </td>
            <td>
              <DomainState domain={domain} />
            </td>
            <td className="number">{formatCount(domain.workers, language)}</td>
            <td className="number">
              <WaitingCalls depth={domain} />
            </td>
            <td className="number">{formatCount(domain.open, language)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
