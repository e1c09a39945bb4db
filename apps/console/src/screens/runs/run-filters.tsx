import { useEffect, useState } from 'react';
import { Button } from '../../components/button.js';
import { Segments, Select, TextInput } from '../../components/field.js';
import { stateTones } from '../../components/badge.js';
import { shared } from '../../components/text.js';
import { useScope } from '../../data/session.js';
import { useTools } from '../../data/tools.js';
import type { RunFilterValues } from '../../data/runs.js';
import { useText } from '../../language/use-text.js';
import { runsText } from './text.js';

const minutes = { m15: 15, h1: 60, h6: 360 } as const;
const ranges = ['m15', 'h1', 'h6'] as const;
/** Typing is taken as a filter after this pause. */
const pauseMs = 350;

interface RunFiltersProps {
  readonly filters: RunFilterValues;
  readonly onChange: (filters: RunFilterValues) => void;
}

export function RunFilters({ filters, onChange }: RunFiltersProps) {
  const words = useText(runsText);
  const common = useText(shared);
  const isAdmin = useScope('admin');
  const { data: tools = [] } = useTools();
  const set = (change: { readonly [Name in keyof RunFilterValues]: string }) => onChange({ ...filters, ...change });
  const since = (range: string) => {
    const chosen = ranges.find((one) => one === range);
    set({ from: chosen === undefined ? '' : new Date(Date.now() - minutes[chosen] * 60_000).toISOString() });
  };
  return (
    <div className="line wrap inline">
      {isAdmin && (
        <Segments
          label={words.scope}
          value={filters.scope ?? 'mine'}
          choices={(['mine', 'tenant', 'all'] as const).map((scope) => [scope, words.scopes[scope]] as const)}
          onChoose={(scope) => set({ scope })}
        />
      )}
      <Select aria-label={words.state} value={filters.state ?? ''} onChange={(event) => set({ state: event.target.value })}>
        <option value="">{words.anyState}</option>
        {Object.keys(stateTones).map((state) => (
          <option key={state} value={state}>
            {Object.entries(common.states).find(([name]) => name === state)?.[1]}
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
      {isAdmin && <TypedFilter label={words.user} value={filters.user ?? ''} choices={[]} onSettle={(user) => set({ user })} />}
      <Select aria-label={words.time} value={filters.from === undefined ? '' : 'given'} onChange={(event) => since(event.target.value)}>
        <option value="">{words.anyTime}</option>
        {filters.from !== undefined && <option value="given">{words.sinceGiven}</option>}
        {ranges.map((range) => (
          <option key={range} value={range}>
            {words.times[range]}
          </option>
        ))}
      </Select>
      {Object.keys(filters).length > 0 && (
        <Button look="quiet" icon="close" onClick={() => onChange({})}>
          {words.clear}
        </Button>
      )}
    </div>
  );
}

const commonCodes = [
  'INVALID_PARAMS',
  'RESOURCE_NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'CANCELLED',
  'EXECUTION_ERROR',
  'NETWORK_ERROR',
  'TIMEOUT',
];

interface TypedFilterProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onSettle: (value: string) => void;
}

function TypedFilter({ label, value, choices, onSettle }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onSettle(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onSettle]);
  const list = `choices-${label}`;
  return (
    <>
      <TextInput
        aria-label={label}
        placeholder={label}
        list={list}
        size={14}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}
