import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiLines } from '../../components/api-lines.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Segments } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Stats } from '../../components/stats.js';
import { toast } from '../../components/toasts.js';
import { download, toCsv } from '../../data/csv.js';
import { useScope } from '../../data/session.js';
import { readSums, useSums } from '../../data/usage.js';
import { formatCount, formatMs } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { DayBars } from './day-bars.js';
import { LimitsView } from './limits-view.js';
import { SumTable } from './sum-table.js';
import { groups, lastDays, microsOf, nameOf, sorted, totalOf, type Group } from './sums.js';
import { usageText } from './text.js';

const route = getRouteApi('/usage');
const ranges = ['7', '30', '90'] as const;
const scopes = ['mine', 'tenant', 'all'] as const;

/** What calls were made, by whom, and what they cost. */
export function UsageScreen() {
  const words = useText(usageText);
  const language = useLanguage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isTenantAdmin, isAdmin] = [useScope('tenant:admin'), useScope('admin')];
  const [now] = useState(Date.now);
  const mine = scopes.filter((one) => one === 'mine' || (one === 'tenant' ? isTenantAdmin : isAdmin));
  const scope = mine.find((one) => one === search.scope) ?? (isTenantAdmin ? 'tenant' : 'mine');
  const offered = groups.filter((one) => (one === 'tenant' ? scope === 'all' : one === 'user' ? scope !== 'mine' : true));
  const by = offered.find((one) => one === search.by) ?? 'tool';
  const range = ranges.find((one) => one === search.days) ?? '30';
  const days = lastDays(Number(range), now);
  const filter = { scope, tool: search.tool, user: search.user, from: days[0], to: days.at(-1) };
  const daily = useSums({ ...filter, by: 'day' });
  const grouped = useSums({ ...filter, by });
  const set = (change: Readonly<Record<string, string>>) => void navigate({ to: '.', search: { ...search, ...change }, replace: true });
  const total = totalOf(daily.data?.rows ?? []);
  return (
    <Screen title={words.title} actions={<Export filter={filter} by={by} />}>
      <div className="line wrap">
        <ScopeChoice value={scope} offered={mine} onChoose={(chosen) => set({ scope: chosen })} />
        <Segments
          label={words.days}
          value={range}
          choices={ranges.map((one) => [one, words.lastDays(Number(one))] as const)}
          onChoose={(chosen) => set({ days: chosen })}
        />
      </div>
      <Stats
        stats={[
          { label: words.calls, value: formatCount(total.calls, language) },
          { label: words.failed, value: formatCount(total.failed, language) },
          { label: words.tokens, value: formatCount(total.tokens, language) },
          { label: words.time, value: formatMs(total.executionMs) },
          { label: words.cost, value: formatMicros(total.micros, language) },
        ]}
      />
      <Panel title={words.byDay}>
        <Loaded query={daily}>{({ rows }) => <DayBars days={days} rows={rows} />}</Loaded>
        <p className="faint">{words.utc}</p>
      </Panel>
      <Panel
        padded={false}
        title={words.table(words.groups[by])}
        actions={
          <Segments
            label={words.by}
            value={by}
            choices={offered.map((one) => [one, words.groups[one]] as const)}
            onChoose={(chosen) => set({ by: chosen })}
          />
        }
      >
        <Loaded query={grouped} lines={8}>
          {({ rows, isCut }) =>
            rows.length === 0 ? (
              <EmptyState icon="usage" title={words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={[`npx invoq usage --by ${by}`]} />
              </EmptyState>
            ) : (
              <>
                {isCut && <Notice tone="warn">{words.cut}</Notice>}
                <SumTable rows={sorted(rows, by)} group={by} />
              </>
            )
          }
        </Loaded>
      </Panel>
      <h2>{words.limits}</h2>
      <LimitsView />
    </Screen>
  );
}

interface ExportProps {
  readonly filter: Parameters<typeof readSums>[0];
  readonly by: Group;
}

/** What is shown, with a row for each day, as a file. */
function Export({ filter, by }: ExportProps) {
  const words = useText(usageText);
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      const { rows } = await readSums({ ...filter, by: by === 'day' ? 'day' : `day,${by}` });
      const named = by === 'day' ? [] : [by];
      const columns = [
        'day',
        ...named,
        'calls',
        'completed',
        'failed',
        'cancelled',
        'input_tokens',
        'output_tokens',
        'execution_ms',
        'cost_usd',
      ];
      const lines = rows.map((row) => [
        row.day,
        ...named.map((group) => nameOf(row, group)),
        row.calls,
        row.completed,
        row.failed,
        row.cancelled,
        row.input_tokens,
        row.output_tokens,
        row.execution_ms,
        microsOf(row) / 1_000_000,
      ]);
      download(`invoq-usage-${filter.from}-${filter.to}-by-${by}.csv`, toCsv(columns, lines));
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button icon="download" disabled={isBusy} onClick={() => void save()}>
      {words.csv}
    </Button>
  );
}
