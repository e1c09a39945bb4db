import { useQuery } from '@tanstack/react-query';
import type { Policy } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { NamedList } from '../../components/named-list.js';
import { Panel } from '../../components/panel.js';
import { shared } from '../../components/text.js';
import { invoq } from '../../data/gateway.js';
import { queries } from '../../data/queries.js';
import { useText } from '../../language/use-text.js';
import { PolicyDialog } from './policy-dialog.js';
import { PolicyTester } from './policy-tester.js';
import { policiesText } from './text.js';

const key = ['policies'];
const changed = () => queries.invalidateQueries({ queryKey: key });

/** Rules for the calls of the tenant, and what they say of a call. */
export function Policies() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(policiesText);
  const common = useText(shared);
  const policies = useQuery({ queryKey: key, queryFn: async ({ signal }) => (await invoq.policies.list({ signal })).policies });
  return (
    <NamedList
      title={words.title}
      icon="policies"
      heading={words.list}
      create={words.create}
      query={policies}
      none={{
        title: words.none,
        help: words.noneHelp,
        lines: [`npx invoq policies put refunds --when 'tool.name == "refund" && args.amount > 100.0' --then ask`],
      }}
      columns={[words.name, { title: words.when, width: '44%' }, words.then, words.message]}
      cells={(policy) => <Cells policy={policy} />}
      dialog={(policy, onClose) => <PolicyDialog policy={policy} others={policies.data ?? []} onSaved={changed} onClose={onClose} />}
      remove={{
        action: words.delete,
        help: ({ then }) => (
          <>
            <p>{words.deleteHelp[then]}</p>
            <p className="soft">{common.neverUndone}</p>
          </>
        ),
        run: async (name) => {
          await invoq.policies.delete(name);
          await changed();
        },
        done: words.deleted,
      }}
    >
      <Panel title={words.test}>
        <PolicyTester draft={null} />
      </Panel>
    </NamedList>
  );
}

function Cells({ policy: { name, when, then, message, problem } }: { readonly policy: Policy }) {
  const words = useText(policiesText);
  return (
    <>
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
    </>
  );
}
