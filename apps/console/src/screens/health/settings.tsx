import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingList } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { Checkbox, SearchInput } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { useText } from '../../language/use-text.js';
import { healthText } from './text.js';

/** What the gateway runs with; secrets are never in it. */
export function Settings({ query }: { readonly query: UseQueryResult<SettingList> }) {
  const words = useText(healthText);
  const [wanted, setWanted] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  return (
    <Panel
      title={words.settings}
      padded={false}
      actions={
        <>
          <Checkbox label={words.onlySet} checked={onlySet} onChange={() => setOnlySet(!onlySet)} />
          <SearchInput label={words.find} value={wanted} onChange={(event) => setWanted(event.target.value)} />
        </>
      }
    >
      <Loaded query={query}>
        {({ settings }) => (
          <Table columns={[words.setting, words.value]}>
            {settings
              .filter(({ name, is_default }) => name.includes(wanted.toUpperCase()) && !(onlySet && is_default))
              .map(({ name, value, is_default }) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>
                    <span className="line wrap">
                      <code>{(Array.isArray(value) ? value.join(', ') : String(value ?? '')) || '—'}</code>
                      {!is_default && <Badge tone="accent">{words.fromEnvironment}</Badge>}
                    </span>
                  </td>
                </tr>
              ))}
          </Table>
        )}
      </Loaded>
    </Panel>
  );
}
