import { useQuery } from '@tanstack/react-query';
import type { Budget } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { NamedList } from '../../components/named-list.js';
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
const changed = () => queries.invalidateQueries({ queryKey: key });

/** What calls of the tenant may cost, and what is spent of it. */
export function Budgets() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(budgetsText);
  const common = useText(shared);
  const budgets = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await invoq.budgets.list({ signal })).budgets,
    refetchInterval: useWhileTouched(everyMs),
  });
  return (
    <NamedList
      title={words.title}
      icon="budgets"
      heading={words.list}
      create={words.create}
      query={budgets}
      none={{
        title: words.none,
        help: words.noneHelp,
        lines: ['npx invoq budgets put support --period month --dollars 50 --user user_001', 'npx invoq budgets list'],
      }}
      columns={[words.name, words.counts, { title: words.used, width: '36%' }, words.state, words.resets]}
      cells={(budget) => <Cells budget={budget} />}
      dialog={(budget, onClose) => <BudgetDialog budget={budget} others={budgets.data ?? []} onSaved={changed} onClose={onClose} />}
      remove={{
        action: words.delete,
        help: () => (
          <>
            <p>{words.deleteHelp}</p>
            <p className="soft">{common.neverUndone}</p>
          </>
        ),
        run: async (name) => {
          await invoq.budgets.delete(name);
          await changed();
        },
        done: words.deleted,
      }}
    />
  );
}

function Cells({ budget }: { readonly budget: Budget }) {
  const words = useText(budgetsText);
  const { name, user, key: keyId, tool, period, time_zone, spent, warn_at } = budget;
  const share = shareOf(budget);
  const parts = [
    [words.user, user],
    [words.key, keyId],
    [words.tool, tool],
  ].filter((part): part is [string, string] => typeof part[1] === 'string');
  return (
    <>
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
    </>
  );
}
