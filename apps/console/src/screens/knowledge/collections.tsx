import type { UseQueryResult } from '@tanstack/react-query';
import type { CollectionList } from '#lib/contracts';
import { Count } from '../../components/count.js';
import { Badge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useText } from '../../language/use-text.js';
import { knowledgeText } from './text.js';

export function Collections({ query }: { readonly query: UseQueryResult<CollectionList> }) {
  const words = useText(knowledgeText);
  return (
    <Panel title={words.collections} padded={false}>
      <Loaded query={query}>
        {({ collections }) =>
          collections.length === 0 ? (
            <EmptyState icon="knowledge" title={words.noCollections}>
              <p>{words.noCollectionsHelp}</p>
            </EmptyState>
          ) : (
            <Table columns={[words.collection, { title: words.documents, isNumber: true }, { title: words.sections, isNumber: true }]}>
              {collections.map(({ name, is_shared, documents, sections, last_import_at }) => (
                <tr key={`${name} ${is_shared}`}>
                  <td>
                    {name} <Badge>{is_shared ? words.sharedByAll : words.own}</Badge>
                    <div className="faint">
                      {words.lastImport} {last_import_at === null ? '—' : <Ago at={last_import_at} />}
                    </div>
                  </td>
                  <td className="number">
                    <Count of={documents} />
                  </td>
                  <td className="number">
                    <Count of={sections} />
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
