import { Button } from '../../components/button.js';
import { Segments } from '../../components/field.js';
import { shared } from '../../components/text.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { commonCodes, TypedFilter } from '../../components/typed-filter.js';
import { WindowChoice } from '../../components/window-choice.js';
import { useScope } from '../../data/session.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import type { Window } from '../../language/windows.js';
import { errorsText } from './text.js';

export const errorWindows = ['15m', '1h', '6h', '24h', '7d', '30d'] as const satisfies readonly Window[];

export interface ErrorSearch {
  readonly scope?: string;
  readonly since?: string;
  readonly cause?: string;
  readonly tenant?: string;
  readonly tool?: string;
  readonly code?: string;
}

interface ErrorFiltersProps {
  readonly search: ErrorSearch;
  readonly window: (typeof errorWindows)[number];
  readonly scope: 'tenant' | 'all';
  readonly onChange: (search: ErrorSearch) => void;
}

export function ErrorFilters({ search, window, scope, onChange }: ErrorFiltersProps) {
  const words = useText(errorsText);
  const common = useText(shared);
  const isAdmin = useScope('admin');
  const { data: tools = [] } = useTools();
  const set = (change: ErrorSearch) => onChange({ ...search, ...change });
  const { scope: _scope, since: _since, ...narrowing } = search;
  const choices = [
    ['', words.causes.all],
    ['system', words.causes.system],
    ['caller', words.causes.caller],
  ] as const;
  return (
    <div className="line wrap inline">
      <WindowChoice value={window} choices={errorWindows} onChoose={(since) => set({ since })} />
      <ScopeChoice
        value={scope}
        offered={isAdmin ? ['tenant', 'all'] : ['tenant']}
        onChoose={(chosen) => set({ scope: chosen, tenant: '' })}
      />
      <Segments
        label={words.cause}
        value={choices.map(([one]) => one).find((one) => one === search.cause) ?? ''}
        choices={choices}
        onChoose={(cause) => set({ cause })}
      />
      <TypedFilter
        label={words.tool}
        value={search.tool ?? ''}
        choices={tools.map(({ name }) => name)}
        onSettle={(tool) => set({ tool })}
      />
      <TypedFilter label={words.code} value={search.code ?? ''} choices={commonCodes} onSettle={(code) => set({ code })} />
      {scope === 'all' && <TypedFilter label={words.tenant} value={search.tenant ?? ''} onSettle={(tenant) => set({ tenant })} />}
      {Object.values(narrowing).some((value) => value !== '') && (
        <Button look="quiet" icon="close" onClick={() => onChange({ ...(search.since !== undefined && { since: search.since }) })}>
          {common.clear}
        </Button>
      )}
    </div>
  );
}
