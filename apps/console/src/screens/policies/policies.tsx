import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Policy } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { ApiLines } from '../../components/api-lines.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { invoq } from '../../data/gateway.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { PolicyDialog } from './policy-dialog.js';
import { PolicyTester } from './policy-tester.js';
import { policiesText } from './text.js';

const key = ['policies'];

/** Rules for the calls of the tenant, and what they say of a call. */
export function Policies() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

type Opened = { readonly kind: 'edit'; readonly policy: Policy | null } | { readonly kind: 'delete'; readonly policy: Policy } | null;

function List() {
  const words = useText(policiesText);
  const common = useText(shared);
  const [open, setOpen] = useState<Opened>(null);
  const policies = useQuery({ queryKey: key, queryFn: ({ signal }) => invoq.policies.list({ signal }) });
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const create = (
    <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'edit', policy: null })}>
      {words.create}
    </Button>
  );
  return (
    <Screen title={words.title} actions={create}>
      <Panel padded={false} title={words.list}>
        <Loaded query={policies} lines={5}>
          {({ policies: list }) =>
            list.length === 0 ? (
              <EmptyState icon="policies" title={words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={[`npx invoq policies put refunds --when 'tool.name == "refund" && args.amount > 100.0' --then ask`]} />
              </EmptyState>
            ) : (
              <Table
                isStacked
                columns={[
                  words.name,
                  { title: words.when, width: '44%' },
                  words.then,
                  words.message,
                  { title: common.actions, isHidden: true },
                ]}
              >
                {list.map((policy) => (
                  <Row key={policy.name} policy={policy} onOpen={setOpen} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Panel>
      <Panel title={words.test}>
        <PolicyTester draft={null} />
      </Panel>
      {open?.kind === 'edit' && (
        <PolicyDialog policy={open.policy} others={policies.data?.policies ?? []} onSaved={changed} onClose={() => setOpen(null)} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          action={words.delete(open.policy.name)}
          icon="trash"
          run={async () => {
            await invoq.policies.delete(open.policy.name);
            await changed();
          }}
          done={words.deleted(open.policy.name)}
          onClose={() => setOpen(null)}
        >
          <p>{words.deleteHelp[open.policy.then]}</p>
          <p className="soft">{common.neverUndone}</p>
        </Confirm>
      )}
    </Screen>
  );
}

function Row({ policy, onOpen }: { readonly policy: Policy; readonly onOpen: (open: Opened) => void }) {
  const words = useText(policiesText);
  const common = useText(shared);
  const { name, when, then, message, problem } = policy;
  return (
    <tr>
      <td>
        <strong>{name}</strong>
      </td>
      <td className="told">
        <code>{when}</code>
        {problem !== null && (
          <p className="fault">
            {words.problem}: {problem}
          </p>
        )}
      </td>
      <td>
        <Badge tone={then === 'deny' ? 'bad' : 'accent'}>{words.thens[then]}</Badge>
      </td>
      <td className="soft told">{message ?? '—'}</td>
      <td>
        <span className="line end">
          <IconButton small icon="edit" label={`${common.edit} ${name}`} onClick={() => onOpen({ kind: 'edit', policy })} />
          <IconButton small icon="trash" label={words.delete(name)} onClick={() => onOpen({ kind: 'delete', policy })} />
        </span>
      </td>
    </tr>
  );
}
