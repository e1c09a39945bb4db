import type { Pause } from '#lib/client';
import { ScopeOnly } from '../../app/scope-only.js';
import { Badge } from '../../components/badge.js';
import { NamedList } from '../../components/named-list.js';
import { Ago } from '../../components/time.js';
import { invoq } from '../../data/gateway.js';
import { pausesChanged, usePauses } from '../../data/pauses.js';
import { useScope } from '../../data/session.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { PauseDialog } from './pause-dialog.js';
import { pausesText } from './text.js';

/** Calls that wait, or are refused, until somebody ends it. */
export function Pauses() {
  return (
    <ScopeOnly scope="tenant:admin">
      <List />
    </ScopeOnly>
  );
}

function List() {
  const words = useText(pausesText);
  const isAdmin = useScope('admin');
  const pauses = usePauses();
  const waitingOf = ({ waiting }: Pause) => words.goOn(waiting);
  return (
    <NamedList
      title={words.title}
      icon="pause"
      heading={words.list}
      create={words.create}
      query={pauses}
      none={{
        title: words.none,
        help: words.noneHelp,
        lines: ["npx invoq pause get_weather --reason 'The upstream is down'", 'npx invoq unpause get_weather'],
      }}
      columns={[
        words.name,
        words.what,
        words.effect,
        { title: words.waiting, isNumber: true },
        { title: words.reason, width: '30%' },
        words.since,
      ]}
      cells={(pause) => <Cells pause={pause} />}
      dialog={(pause, onClose) => <PauseDialog pause={pause} others={pauses.data ?? []} onClose={onClose} />}
      remove={{
        action: words.end,
        icon: 'play',
        help: (pause) => <p>{waitingOf(pause)}</p>,
        run: async (name) => {
          await invoq.pauses.delete(name);
          await pausesChanged();
        },
        done: words.ended,
        may: ({ by }) => by === 'tenant' || isAdmin,
      }}
    />
  );
}

function Cells({ pause }: { readonly pause: Pause }) {
  const words = useText(pausesText);
  const language = useLanguage();
  const { name, by, tool, domain, tenant, reason, refuse, waiting, created_at: since } = pause;
  const parts = [
    [words.tool, tool],
    [words.domain, domain],
    [words.tenant, tenant],
  ].filter((part): part is [string, string] => typeof part[1] === 'string');
  return (
    <>
      <td>
        <strong>{name}</strong>
        {by === 'operator' && <div className="faint">{words.byOperator}</div>}
      </td>
      <td className="told">
        {parts.map(([what, which]) => (
          <div key={what}>
            <span className="faint">{what}</span> <code>{which}</code>
          </div>
        ))}
      </td>
      <td>
        <Badge tone={refuse ? 'bad' : 'warn'}>{refuse ? words.refused : words.held}</Badge>
      </td>
      <td className="number">{waiting === null ? '—' : formatCount(waiting, language)}</td>
      <td className="told">{reason}</td>
      <td className="faint">
        <Ago at={since} />
      </td>
    </>
  );
}
