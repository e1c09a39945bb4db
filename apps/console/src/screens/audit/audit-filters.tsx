import { Button } from '../../components/button.js';
import { Select, TextInput } from '../../components/field.js';
import { shared } from '../../components/text.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { TypedFilter } from '../../components/typed-filter.js';
import { useScope } from '../../data/session.js';
import { isoOf, localOf } from '../../language/local-time.js';
import { useText } from '../../language/use-text.js';
import { beginOf, windowText, type Window } from '../../language/windows.js';
import { actionText, auditActions, wordsOf } from './action-text.js';
import { auditText } from './text.js';

const windows = ['24h', '7d', '30d', '90d'] as const satisfies readonly Window[];

/** As they stand in the address. */
export interface AuditSearch {
  readonly scope?: string;
  readonly tenant?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
}

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly scope: 'tenant' | 'all';
  /** Those whom the list names, to choose from. */
  readonly actors: readonly string[];
  readonly onChange: (search: AuditSearch) => void;
}

export function AuditFilters({ search, scope, actors, onChange }: AuditFiltersProps) {
  const words = useText(auditText);
  const common = useText(shared);
  const actions = useText(actionText);
  const isAdmin = useScope('admin');
  const set = (change: AuditSearch) => onChange({ ...search, ...change });
  return (
    <div className="line wrap inline">
      <ScopeChoice
        value={scope}
        offered={isAdmin ? ['tenant', 'all'] : ['tenant']}
        onChoose={(chosen) => set({ scope: chosen, tenant: '' })}
      />
      {scope === 'all' && <TypedFilter label={words.tenant} value={search.tenant ?? ''} onSettle={(tenant) => set({ tenant })} />}
      <TypedFilter label={words.actorFilter} value={search.actor ?? ''} choices={actors} onSettle={(actor) => set({ actor })} />
      <Select aria-label={words.action} value={search.action ?? ''} onChange={(event) => set({ action: event.target.value })}>
        <option value="">{words.anyAction}</option>
        {auditActions.map((one) => (
          <option key={one} value={one}>
            {wordsOf(one, actions)}
          </option>
        ))}
      </Select>
      <TypedFilter label={words.subjectFilter} value={search.subject ?? ''} onSettle={(subject) => set({ subject })} />
      <TimeFields search={search} onChange={set} />
      {Object.entries(search).some(([name, value]) => name !== 'scope' && value !== '') && (
        <Button look="quiet" icon="close" onClick={() => onChange({ ...(search.scope !== undefined && { scope: search.scope }) })}>
          {common.clear}
        </Button>
      )}
    </div>
  );
}

/** A window that is counted back from now, or two moments. */
function TimeFields({ search, onChange }: { readonly search: AuditSearch; readonly onChange: (change: AuditSearch) => void }) {
  const words = useText(auditText);
  const times = useText(windowText);
  const isBetween = search.from !== undefined || search.to !== undefined;
  const choose = (chosen: string) =>
    onChange(chosen === 'between' ? { since: '', from: beginOf('24h', Date.now()), to: '' } : { since: chosen, from: '', to: '' });
  return (
    <>
      <Select aria-label={words.when} value={isBetween ? 'between' : (search.since ?? '')} onChange={(event) => choose(event.target.value)}>
        <option value="">{words.anyTime}</option>
        {windows.map((one) => (
          <option key={one} value={one}>
            {times.short[one]}
          </option>
        ))}
        <option value="between">{words.between}</option>
      </Select>
      {isBetween &&
        (['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="datetime-local"
            aria-label={words[end]}
            value={localOf(search[end])}
            onChange={(event) => onChange({ [end]: isoOf(event.target.value) })}
          />
        ))}
    </>
  );
}
