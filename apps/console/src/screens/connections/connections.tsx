import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Connection } from '#lib/client';
import { ApiLines } from '../../components/api-lines.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { accountsChanged, useConnections } from '../../data/accounts.js';
import { invoq } from '../../data/gateway.js';
import { principalOf, useScope, useSession } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { ConnectDialog } from './connect-dialog.js';
import { connectionsText } from './text.js';

const route = getRouteApi('/connections');

type Opened = { readonly kind: 'connect'; readonly provider: string } | { readonly kind: 'delete'; readonly connection: Connection } | null;

/** Accounts that tools act with: one's own, and for administrators those of the tenant. */
export function Connections() {
  const words = useText(connectionsText);
  const common = useText(shared);
  const { scope: chosen, connection: connected, error } = route.useSearch();
  const navigate = route.useNavigate();
  const isTenantAdmin = useScope('tenant:admin');
  const scope = isTenantAdmin && chosen === 'tenant' ? 'tenant' : 'mine';
  const connections = useConnections(scope);
  const [open, setOpen] = useState<Opened>(null);
  const close = () => setOpen(null);
  return (
    <Screen
      title={words.title}
      actions={
        <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'connect', provider: '' })}>
          {words.connect}
        </Button>
      }
    >
      {isTenantAdmin && (
        <div>
          <ScopeChoice
            value={scope}
            offered={['mine', 'tenant']}
            onChoose={(next) => void navigate({ to: '.', search: { scope: next }, replace: true })}
          />
        </div>
      )}
      {connected !== undefined && <Notice tone="good">{words.connected}</Notice>}
      {error !== undefined && <Notice tone="bad">{words.notConnected(error)}</Notice>}
      <Panel padded={false} title={words.list}>
        <Loaded query={connections} lines={4}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="connections" title={words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={['npx invoq connections create github', 'npx invoq connections list']} />
              </EmptyState>
            ) : (
              <Table
                isStacked
                columns={[words.provider, words.user, words.state, words.scopes, words.since, { title: common.actions, isHidden: true }]}
              >
                {list.map((connection) => (
                  <Row key={connection.id} connection={connection} onOpen={setOpen} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Panel>
      {open?.kind === 'connect' && <ConnectDialog provider={open.provider} onClose={close} />}
      {open?.kind === 'delete' && (
        <Confirm
          action={words.delete(open.connection.provider)}
          icon="trash"
          run={async () => {
            await invoq.connections.delete(open.connection.id);
            await accountsChanged();
          }}
          done={words.deleted(open.connection.provider)}
          onClose={close}
        >
          <p>{words.deleteHelp(open.connection.user)}</p>
          <p className="soft">{common.neverUndone}</p>
        </Confirm>
      )}
    </Screen>
  );
}

function Row({ connection, onOpen }: { readonly connection: Connection; readonly onOpen: (open: Opened) => void }) {
  const words = useText(connectionsText);
  const { data: session } = useSession();
  const { provider, user, state, reason, scopes, updated_at: since } = connection;
  const isOwn = !!session && principalOf(session) === user;
  return (
    <tr>
      <td>
        <strong>{provider}</strong>
      </td>
      <td className="told">{user}</td>
      <td>
        <Badge tone={state === 'connected' ? 'good' : 'warn'}>{words.states[state]}</Badge>
        {reason !== null && <div className="faint">{reason}</div>}
      </td>
      <td>
        <span className="line wrap">
          {scopes.map((scope) => (
            <Badge key={scope} code>
              {scope}
            </Badge>
          ))}
        </span>
      </td>
      <td className="faint">
        <Ago at={since} />
      </td>
      <td>
        <span className="line end">
          {state === 'reconnect' && isOwn && (
            <Button small icon="replay" onClick={() => onOpen({ kind: 'connect', provider })}>
              {words.reconnect}
            </Button>
          )}
          <IconButton small icon="trash" label={words.delete(provider)} onClick={() => onOpen({ kind: 'delete', connection })} />
        </span>
      </td>
    </tr>
  );
}
