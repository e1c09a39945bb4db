import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { shared } from '../../components/text.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { commonCodes, TypedFilter } from '../../components/typed-filter.js';
import { callOutcomes, type CallFilterValues } from '../../data/calls.js';
import { useScope } from '../../data/session.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { windowText, type Window } from '../../language/windows.js';
import { callsText } from './text.js';

const windows = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const satisfies readonly Window[];

interface CallFilterFieldsProps {
  readonly filters: CallFilterValues;
  readonly scope: 'mine' | 'tenant' | 'all';
  readonly onChange: (filters: CallFilterValues) => void;
}

export function CallFilterFields({ filters, scope, onChange }: CallFilterFieldsProps) {
  const words = useText(callsText);
  const common = useText(shared);
  const times = useText(windowText);
  const [isAdmin, isTenantAdmin] = [useScope('admin'), useScope('tenant:admin')];
  const { data: tools = [] } = useTools();
  const set = (change: CallFilterValues) => onChange({ ...filters, ...change });
  const scopes = (['mine', 'tenant', 'all'] as const).filter((one) => (one === 'all' ? isAdmin : one === 'mine' || isTenantAdmin));
  const { state, outcome = '', from } = filters;
  return (
    <div className="line wrap inline">
      <ScopeChoice value={scope} offered={scopes} onChoose={(chosen) => set({ scope: chosen, tenant: '' })} />
      <Select aria-label={words.outcome} value={outcome} onChange={(event) => set({ outcome: event.target.value })}>
        <option value="">{words.anyOutcome}</option>
        {callOutcomes.map((one) => (
          <option key={one} value={one}>
            {words.outcomes[one]}
          </option>
        ))}
      </Select>
      <TypedFilter
        label={words.tool}
        value={filters.tool ?? ''}
        choices={tools.map(({ name }) => name)}
        onSettle={(tool) => set({ tool })}
      />
      <TypedFilter label={words.code} value={filters.code ?? ''} choices={commonCodes} onSettle={(code) => set({ code })} />
      {scope === 'all' && <TypedFilter label={words.tenant} value={filters.tenant ?? ''} onSettle={(tenant) => set({ tenant })} />}
      {scope !== 'mine' && <TypedFilter label={words.user} value={filters.user ?? ''} onSettle={(user) => set({ user })} />}
      <Select
        aria-label={words.time}
        value={from === undefined ? (filters.since ?? '') : 'given'}
        onChange={(event) => set({ since: event.target.value, from: '', to: '' })}
      >
        <option value="">{words.anyTime}</option>
        {from !== undefined && <option value="given">{words.sinceGiven}</option>}
        {windows.map((one) => (
          <option key={one} value={one}>
            {times.short[one]}
          </option>
        ))}
      </Select>
      {state !== undefined && <Badge>{Object.entries(common.states).find(([name]) => name === state)?.[1] ?? state}</Badge>}
      {Object.keys(filters).length > 0 && (
        <Button look="quiet" icon="close" onClick={() => onChange({})}>
          {common.clear}
        </Button>
      )}
    </div>
  );
}
