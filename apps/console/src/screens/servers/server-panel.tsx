import { Link } from '@tanstack/react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { api, type OutsideServerShown } from '../../data/api.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { RejectedDefinitions } from './rejected-definitions.js';
import { changesBetween, DefinitionDiffs } from './definition-diffs.js';
import { RegisterDialog, type ApprovedDatabase } from './register-dialog.js';
import { serversText } from './text.js';

export function ServerPanel({ server }: { readonly server: OutsideServerShown }) {
  const words = useText(serversText);
  const [isRemoving, setIsRemoving] = useState(false);
  const [database, setDatabase] = useState<ApprovedDatabase | null>(null);
  const approve = useMutation({
    mutationFn: async () => {
      const { tools } = await api.server(server);
      if (server.kind === 'sql') {
        setDatabase({ name: server.name, queries: tools.flatMap(queryOf), isForAll: server.tenant_id === null });
        return null;
      }
      const place = server.url === undefined ? { stdio: server.stdio } : { url: server.url };
      const { registered, tools: approved } = await api.registerServer({
        name: server.name,
        ...place,
        ...(server.connection && { connection: server.connection }),
        ...(server.tenant_id === null && { tenants: '*' }),
      });
      return { changes: changesBetween(tools, approved), rejected: registered.rejected };
    },
    onSuccess: () =>
      Promise.all([queries.invalidateQueries({ queryKey: ['servers'] }), queries.invalidateQueries({ queryKey: ['tools'] })]),
  });
  const suspended = server.tools.filter(({ state }) => state === 'suspended');
  return (
    <Panel
      padded={false}
      title={
        <span className="line wrap">
          {server.name} <Badge>{server.tenant_id ?? '*'}</Badge> <Badge>{server.kind}</Badge>{' '}
          <Badge tone="accent">{words.approval(server.approval)}</Badge>
          {server.has_headers && <Badge>{words.hasHeaders}</Badge>}
          {server.connection && <Badge>{server.connection.provider}</Badge>}
          {suspended.length > 0 && (
            <Badge tone="bad">
              {suspended.length} {words.suspended}
            </Badge>
          )}
        </span>
      }
      actions={
        <>
          <Button
            small
            look={suspended.length > 0 ? 'primary' : 'quiet'}
            icon="check"
            disabled={approve.isPending}
            onClick={() => approve.mutate()}
          >
            {approve.isPending ? words.connecting : words.approve}
          </Button>
          <Button small look="danger" icon="trash" onClick={() => setIsRemoving(true)}>
            {words.remove}
          </Button>
        </>
      }
    >
      <div className="stack tight" style={{ padding: 'var(--s3) var(--s4)' }}>
        <p className="faint">
          <code>{server.url ?? server.stdio}</code> · {words.by} {server.approved_by} · <Ago at={server.approved_at} />
        </p>
        {suspended.length > 0 && <SuspendedTools server={server} />}
        {approve.error && <ErrorNotice error={approve.error} />}
        {approve.data && <DefinitionDiffs title={words.difference} changes={approve.data.changes} />}
        {approve.data && <RejectedDefinitions rejected={approve.data.rejected} />}
      </div>
      <ServerTools server={server} />
      {database && <RegisterDialog database={database} onClose={() => setDatabase(null)} />}
      {isRemoving && <RemoveDialog server={server} onClose={() => setIsRemoving(false)} />}
    </Panel>
  );
}

/** The query that a tool was approved with. */
function queryOf({ definition }: { readonly definition?: unknown }): readonly object[] {
  if (typeof definition !== 'object' || definition === null || !('query' in definition)) return [];
  const { query } = definition;
  const given = typeof query === 'object' && query !== null && 'given' in query ? query.given : null;
  return typeof given === 'object' && given !== null ? [given] : [];
}

/** What is different from what was approved, to be read before it is approved. */
function SuspendedTools({ server: { name, tenant_id, approval, tools } }: { readonly server: OutsideServerShown }) {
  const words = useText(serversText);
  const suspended = tools.filter(({ state }) => state === 'suspended').map((tool) => tool.name);
  const whole = useQuery({ queryKey: ['servers', tenant_id, name, approval, suspended], queryFn: () => api.server({ name, tenant_id }) });
  return (
    <>
      <Notice tone="warn">{words.suspendedHelp}</Notice>
      <Loaded query={whole}>
        {(server) => (
          <DefinitionDiffs
            title={words.approvedAndOffered}
            changes={server.tools
              .filter(({ state }) => state === 'suspended')
              .map((tool) => ({ name: tool.name, before: tool.definition, after: tool.offered }))}
          />
        )}
      </Loaded>
    </>
  );
}

function ServerTools({ server }: { readonly server: OutsideServerShown }) {
  const words = useText(serversText);
  return (
    <Table columns={[words.tool, words.state, words.reason]}>
      {server.tools.map(({ name, offered_as, title, state, reason }) => (
        <tr key={`${state} ${name}`}>
          <td>
            {state === 'served' && offered_as !== null ? (
              <Link to="/tools/$name" params={{ name: offered_as }}>
                <code>{offered_as}</code>
              </Link>
            ) : (
              <code>{offered_as ?? name}</code>
            )}
            <div className="soft">{title}</div>
          </td>
          <td>
            <Badge tone={state === 'served' ? 'good' : 'bad'}>{state === 'rejected' ? words.refused : words[state]}</Badge>
          </td>
          <td className="soft">{reason ?? '—'}</td>
        </tr>
      ))}
    </Table>
  );
}

function RemoveDialog({ server, onClose }: { readonly server: OutsideServerShown; readonly onClose: () => void }) {
  const words = useText(serversText);
  const common = useText(shared);
  const served = server.tools.filter(({ state }) => state === 'served').length;
  const remove = async () => {
    await api.removeServer(server);
    await queries.invalidateQueries({ queryKey: ['servers'] });
  };
  return (
    <Confirm action={words.removeServer(server.name)} icon="trash" run={remove} done={words.removedServer(server.name)} onClose={onClose}>
      <p>{words.removeHelp(served)}</p>
      <p className="soft">{common.neverUndone}</p>
    </Confirm>
  );
}
