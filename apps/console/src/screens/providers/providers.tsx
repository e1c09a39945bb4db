import type { Provider } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { NamedList } from '../../components/named-list.js';
import { accountsChanged, useProviders } from '../../data/accounts.js';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { ProviderDialog } from './provider-dialog.js';
import { providersText } from './text.js';

/** At whom users of the tenant have accounts that tools act with. */
export function Providers() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(providersText);
  const providers = useProviders();
  return (
    <NamedList
      title={words.title}
      icon="providers"
      heading={words.list}
      create={words.create}
      query={providers}
      none={{
        title: words.none,
        help: words.noneHelp,
        lines: ['npx invoq providers put github --preset github --client-id … --client-secret …'],
      }}
      columns={[words.name, words.kind, { title: words.server, width: '26%' }, { title: words.redirect, width: '26%' }, words.accounts]}
      cells={(provider) => <Cells provider={provider} />}
      dialog={(provider, onClose) => <ProviderDialog provider={provider} others={providers.data ?? []} onClose={onClose} />}
      remove={{
        action: words.delete,
        help: ({ connections }) => <p>{words.deleteHelp(connections)}</p>,
        run: async (name) => {
          await invoq.providers.delete(name);
          await accountsChanged();
        },
        done: words.deleted,
      }}
    />
  );
}

function Cells({ provider }: { readonly provider: Provider }) {
  const words = useText(providersText);
  const { name, title, kind, preset, issuer, resource, authorization_endpoint: endpoint, client, redirect_uri, connections } = provider;
  return (
    <>
      <td>
        <strong>{name}</strong>
        {title !== name && <div className="faint">{title}</div>}
      </td>
      <td>
        <Badge>{kind === 'api_key' ? words.kinds.api_key : (preset ?? 'OAuth 2')}</Badge>
        {client !== null && <div className="faint">{words.clients[client]}</div>}
      </td>
      <td className="told">{issuer ?? resource ?? endpoint ?? '—'}</td>
      <td className="told">
        {redirect_uri === null ? (
          '—'
        ) : (
          <span className="line">
            <code className="told">{redirect_uri}</code>
            <CopyButton text={redirect_uri} />
          </span>
        )}
      </td>
      <td>{connections}</td>
    </>
  );
}
