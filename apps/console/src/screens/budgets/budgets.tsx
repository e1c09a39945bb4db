import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Budget } from '#lib/client';
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
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { queries } from '../../data/queries.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { useText } from '../../language/use-text.js';
import { BudgetDialog } from './budget-dialog.js';
import { BudgetUse } from './budget-use.js';
import { shareOf } from './form.js';
import { budgetsText } from './text.js';

const everyMs = 10_000;
const key = ['budgets'];

/** What calls of the tenant may cost, and what is spent of it. */
export function Budgets() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

type Opened = { readonly kind: 'edit'; readonly budget: Budget | null } | { readonly kind: 'delete'; readonly budget: Budget } | null;

function List() {
  const words = useText(budgetsText);
  const common = useText(shared);
  const [open, setOpen] = useState<Opened>(null);
  const budgets = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => invoq.budgets.list({ signal }),
    refetchInterval: useWhileTouched(everyMs),
  });
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const create = (
    <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'edit', budget: null })}>
      {words.create}
    </Button>
  );
  return (
    <Screen title={words.title} actions={create}>
      <Panel padded={false} title={words.list}>
        <Loaded query={budgets} lines={5}>
          {({ budgets: list }) =>
            list.length === 0 ? (
              <EmptyState icon="budgets" title={words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={['npx invoq budgets put support --period month --dollars 50 --user user_001', 'npx invoq budgets list']} />
              </EmptyState>
            ) : (
              <Table
                isStacked
                columns={[
                  words.name,
                  words.counts,
                  { title: words.used, width: '36%' },
                  words.state,
                  words.resets,
                  { title: common.actions, isHidden: true },
                ]}
              >
                {list.map((budget) => (
                  <Row key={budget.name} budget={budget} onOpen={setOpen} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Panel>
      {open?.kind === 'edit' && (
        <BudgetDialog budget={open.budget} others={budgets.data?.budgets ?? []} onSaved={changed} onClose={() => setOpen(null)} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          action={words.delete(open.budget.name)}
          icon="trash"
          run={async () => {
            await invoq.budgets.delete(open.budget.name);
            await changed();
          }}
          done={words.deleted(open.budget.name)}
          onClose={() => setOpen(null)}
        >
          <p>{words.deleteHelp}</p>
          <p className="soft">{common.neverUndone}</p>
        </Confirm>
      )}
    </Screen>
  );
}

function Row({ budget, onOpen }: { readonly budget: Budget; readonly onOpen: (open: Opened) => void }) {
  const words = useText(budgetsText);
  const common = useText(shared);
  const { name, user, key: keyId, tool, period, time_zone, spent, warn_at } = budget;
  const share = shareOf(budget);
  const parts = [
    [words.user, user],
    [words.key, keyId],
    [words.tool, tool],
  ].filter((part): part is [string, string] => typeof part[1] === 'string');
  return (
    <tr>
      <td>
        <strong>{name}</strong>
        <div className="faint">
          {words.periods[period]} · {time_zone}
        </div>
      </td>
      <td className="told">
        {parts.length === 0 && <span className="soft">{words.all}</span>}
        {parts.map(([what, which]) => (
          <div key={what}>
            <span className="faint">{what}</span> <code>{which}</code>
          </div>
        ))}
      </td>
      <td>
        <BudgetUse budget={budget} />
      </td>
      <td>
        {share >= 1 ? (
          <Badge tone="bad">{words.exceeded}</Badge>
        ) : share >= warn_at ? (
          <Badge tone="warn">{words.warned}</Badge>
        ) : (
          <Badge tone="good">{words.fine}</Badge>
        )}
      </td>
      <td className="faint">
        <Ago at={spent.resets_at} />
      </td>
      <td>
        <span className="line end">
          <IconButton small icon="edit" label={`${common.edit} ${name}`} onClick={() => onOpen({ kind: 'edit', budget })} />
          <IconButton small icon="trash" label={words.delete(name)} onClick={() => onOpen({ kind: 'delete', budget })} />
        </span>
      </td>
    </tr>
  );
}
