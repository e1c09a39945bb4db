import type { Flow } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { NamedList } from '../../components/named-list.js';
import { Ago } from '../../components/time.js';
import { flowsChanged, useFlows } from '../../data/flows.js';
import { invoq } from '../../data/gateway.js';
import { useScope } from '../../data/session.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { FlowDialog } from './flow-dialog.js';
import { FlowLines } from './flow-lines.js';
import { Rule } from './rule.js';
import { flowsText } from './text.js';

/** How many calls with one key run at a time, and where the others wait. */
export function Flows() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(flowsText);
  const isAdmin = useScope('admin');
  const flows = useFlows();
  return (
    <NamedList
      title={words.title}
      icon="flows"
      heading={words.list}
      create={words.create}
      query={flows}
      none={{
        title: words.none,
        help: words.noneHelp,
        lines: ['npx invoq flows put accounts --tool pay --key args.account --concurrency 2'],
      }}
      columns={[
        words.name,
        words.what,
        { title: words.key, width: '26%' },
        words.rule,
        { title: words.waiting, isNumber: true },
        words.since,
      ]}
      cells={(flow) => <Cells flow={flow} />}
      dialog={(flow, onClose) => <FlowDialog flow={flow} others={flows.data ?? []} onClose={onClose} />}
      remove={{
        action: words.delete,
        help: ({ waiting }) => <p>{words.deleteHelp(waiting)}</p>,
        run: async (name) => {
          await invoq.flows.delete(name);
          await flowsChanged();
        },
        done: words.deleted,
        may: ({ by }) => by === 'tenant' || isAdmin,
      }}
    >
      <FlowLines />
    </NamedList>
  );
}

function Cells({ flow }: { readonly flow: Flow }) {
  const words = useText(flowsText);
  const language = useLanguage();
  const { name, by, tool, domain, key, waiting, updated_at: since, problem } = flow;
  const parts = [
    [words.tool, tool],
    [words.domain, domain],
  ].filter((part): part is [string, string] => typeof part[1] === 'string');
  return (
    <>
      <td>
        <strong>{name}</strong>
        {words.by[by] !== '' && <div className="faint">{words.by[by]}</div>}
      </td>
      <td className="told">
        {parts.length === 0 && <span className="faint">{words.everyCall}</span>}
        {parts.map(([what, which]) => (
          <div key={what}>
            <span className="faint">{what}</span> <code>{which}</code>
          </div>
        ))}
      </td>
      <td className="told">
        {key === null ? <span className="faint">{words.oneLine}</span> : <code>{key}</code>}
        {problem !== null && (
          <p className="fault">
            {words.problem}: {problem}
          </p>
        )}
      </td>
      <td>
        <Rule of={flow} />
      </td>
      <td className="number">{waiting === null ? '—' : formatCount(waiting, language)}</td>
      <td className="faint">
        <Ago at={since} />
      </td>
    </>
  );
}
