import type { UseQueryResult } from '@tanstack/react-query';
import type { ErrorsPage } from '#lib/client';
import { Bars } from '../../components/bars.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Stats } from '../../components/stats.js';
import { formatCount, formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { errorsText } from './text.js';

const dayMs = 86_400_000;

/** How many errors there are, and when they were. */
export function ErrorsOverTime({ errors }: { readonly errors: UseQueryResult<{ readonly pages: readonly ErrorsPage[] }> }) {
  return <Loaded query={errors}>{({ pages: [page] }) => page && <Counts page={page} />}</Loaded>;
}

function Counts({ page }: { readonly page: ErrorsPage }) {
  const words = useText(errorsText);
  const language = useLanguage();
  const count = (value: number) => formatCount(value, language);
  const { total, series, step_ms: stepMs } = page;
  const at = (iso: string) => (stepMs === dayMs ? iso.slice(0, 10) : formatTime(iso, language));
  return (
    <>
      <Stats
        stats={[
          {
            label: words.total.system,
            value: <span className={total.system > 0 ? 'fault-figure' : ''}>{count(total.system)}</span>,
            aside: words.about.system,
          },
          { label: words.total.caller, value: count(total.caller), aside: words.about.caller },
        ]}
      />
      <Panel title={words.overTime}>
        <Bars
          isLow
          label={words.overTime}
          bars={series.map(({ at: begin, caller, system }) => ({
            key: begin,
            told: words.bar(at(begin), system, caller),
            parts: [
              { look: 'plain', value: caller },
              { look: 'bad', value: system },
            ],
          }))}
          format={count}
          ends={[at(page.from), at(page.to)]}
        />
        <div className="line wrap spread">
          <span className="legend">
            <span>
              <i style={{ background: 'var(--chart-4)' }} />
              {words.total.system}
            </span>
            <span>
              <i style={{ background: 'var(--chart-5)' }} />
              {words.total.caller}
            </span>
          </span>
          {stepMs === dayMs && <span className="faint">{words.days}</span>}
        </div>
      </Panel>
    </>
  );
}
