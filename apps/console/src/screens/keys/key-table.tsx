import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '#lib/client';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { Ago, useNow } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { queries } from '../../data/queries.js';
import { mayUse, useSession } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { keysText } from './text.js';

export function KeyTable() {
  const words = useText(keysText);
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => invoq.apiKeys() });
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Panel title={words.keys} padded={false}>
      <Loaded query={keys} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="keys" title={words.none} />
          ) : (
            <Table
              isStacked
              columns={[
                words.prefix,
                words.tenant,
                words.tier,
                words.scopes,
                words.created,
                words.lastUsed,
                words.status,
                { title: words.revoke, isHidden: true },
              ]}
            >
              {list.map((key) => (
                <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
              ))}
            </Table>
          )
        }
      </Loaded>
      {revoking && <RevokeDialog apiKey={revoking} others={keys.data ?? []} onClose={() => setRevoking(null)} />}
    </Panel>
  );
}

function KeyRow({ apiKey, onRevoke }: { readonly apiKey: ApiKey; readonly onRevoke: () => void }) {
  const words = useText(keysText);
  const { prefix, tenant_id, user_id, tier, scopes, created_at, revoked_at, name, last_used_at } = apiKey;
  return (
    <tr>
      <td>
        <code>{prefix}…</code>
        {name && <div className="soft">{name}</div>}
      </td>
      <td>
        {tenant_id}
        {user_id !== null && <div className="faint">{user_id}</div>}
      </td>
      <td>{tier}</td>
      <td>
        <span className="line wrap">
          {scopes.map((scope) => (
            <Badge key={scope} code tone={scope === '*' || scope === 'admin' ? 'warn' : 'plain'}>
              {scope}
            </Badge>
          ))}
        </span>
      </td>
      <td className="faint">
        <Ago at={created_at} />
      </td>
      <td className="faint">{last_used_at ? <Ago at={last_used_at} /> : words.never}</td>
      <td>
        <KeyStatus apiKey={apiKey} />
      </td>
      <td>
        {revoked_at === null && (
          <Button small look="danger" onClick={onRevoke} aria-label={`${words.revoke} ${prefix}`}>
            {words.revoke}
          </Button>
        )}
      </td>
    </tr>
  );
}

function KeyStatus({ apiKey: { revoked_at, expires_at } }: { readonly apiKey: ApiKey }) {
  const words = useText(keysText);
  const now = useNow(60_000);
  if (revoked_at !== null) return <Badge tone="bad">{words.revoked}</Badge>;
  if (expires_at !== null && new Date(expires_at).getTime() <= now) return <Badge tone="warn">{words.expired}</Badge>;
  return (
    <span className="line wrap">
      <Badge tone="good">{words.active}</Badge>
      {expires_at !== null && (
        <span className="faint">
          {words.expires} <Ago at={expires_at} />
        </span>
      )}
    </span>
  );
}

interface RevokeDialogProps {
  readonly apiKey: ApiKey;
  readonly others: readonly ApiKey[];
  readonly onClose: () => void;
}

function RevokeDialog({ apiKey, others, onClose }: RevokeDialogProps) {
  const words = useText(keysText);
  const { data: session } = useSession();
  const name = apiKey.name || `${apiKey.prefix}…`;
  const administers = ({ tenant_id, scopes, revoked_at }: ApiKey) =>
    tenant_id === apiKey.tenant_id && revoked_at === null && mayUse({ scopes }, 'tenant:admin');
  const revoke = async () => {
    await invoq.revokeApiKey(apiKey.id);
    await queries.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Confirm action={words.revokeKey(name)} icon="trash" run={revoke} done={words.revokedKey(name)} onClose={onClose}>
      <p>
        <code>{apiKey.prefix}…</code> · {[apiKey.tenant_id, apiKey.user_id].filter(Boolean).join(' · ')}
      </p>
      {session?.credential_id === apiKey.id && <Notice tone="warn">{words.ownKey}</Notice>}
      {administers(apiKey) && !others.some((key) => key.id !== apiKey.id && administers(key)) && (
        <Notice tone="warn">{words.lastAdmin}</Notice>
      )}
      <p>{words.revokeHelp}</p>
    </Confirm>
  );
}
