import { lazy, Suspense, useMemo, useState } from 'react';
import type { Activity } from '#lib/contracts';
import { OwnDomains } from '../../components/domains/own-domains.js';
import { Unserved } from '../../components/domains/unserved.js';
import { Segments } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Stats } from '../../components/stats.js';
import { formatCount, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { ErrorCodes } from './error-codes.js';
import { Queues } from './queues.js';
import { pointsOf, summaryOf, type Range } from './summary.js';
import { homeText } from './text.js';
import { ToolTraffic } from './tool-traffic.js';

const TimeChart = lazy(() => import('../../components/time-chart.js').then(({ TimeChart: component }) => ({ default: component })));

/** Calls, errors, latencies, queues and workers. */
export function ActivityView({ activity }: { readonly activity: Activity }) {
  const words = useText(homeText);
  const language = useLanguage();
  const [range, setRange] = useState<Range>('seconds');
  const points = useMemo(() => pointsOf(activity, range), [activity, range]);
  const summary = useMemo(() => summaryOf(activity.sums[range]), [activity, range]);
  const times = useMemo(() => points.map(({ at }) => at), [points]);
  const calls = useMemo(
    () => [
      { name: words.calls, colour: '--chart-1', values: points.map((point) => point.calls), isFilled: true },
      { name: words.errors, colour: '--chart-4', values: points.map((point) => point.errors) },
    ],
    [points, words],
  );
  const latency = useMemo(
    () => [
      { name: words.p50, colour: '--chart-2', values: points.map(({ p50 }) => p50) },
      { name: words.p99, colour: '--chart-3', values: points.map(({ p99 }) => p99) },
    ],
    [points, words],
  );
  const quantile = (ms: number | null) => (ms === null ? '—' : formatMs(ms));
  const rate = (count: number) => (summary.calls > 0 ? ((count / summary.calls) * 100).toFixed(1) : '0');
  const window = words.inWindow(words.ranges[range]);
  const callsTitle = range === 'seconds' ? words.callsPerSecond : words.callsPerMinute;
  return (
    <>
      <Unserved queues={activity.queues} own={activity.own_queues} />
      <div className="line spread wrap">
        <Segments
          label={words.range}
          value={range}
          choices={[
            ['seconds', words.ranges.seconds],
            ['minutes', words.ranges.minutes],
          ]}
          onChoose={setRange}
        />
      </div>
      <Stats
        stats={[
          { label: words.calls, value: formatCount(summary.calls, language), aside: window },
          { label: words.errors, value: formatCount(summary.errors, language), aside: words.ofCallers(summary.errors - summary.faults) },
          { label: words.faultRate, value: rate(summary.faults), unit: '%', aside: words.faultRateHelp },
          { label: words.p50, value: quantile(summary.p50), aside: window },
          { label: words.p95, value: quantile(summary.p95), aside: window },
          { label: words.p99, value: quantile(summary.p99), aside: window },
        ]}
      />
      <Suspense fallback={<Loading />}>
        <div className="columns two">
          <Panel title={callsTitle}>
            <TimeChart label={callsTitle} times={times} series={calls} format={(value) => formatCount(value, language)} />
          </Panel>
          <Panel title={words.latency}>
            <TimeChart label={words.latency} times={times} series={latency} format={formatMs} />
          </Panel>
        </div>
      </Suspense>
      <div className="columns two">
        <ErrorCodes codes={summary.byCode} />
        <Queues queues={activity.queues} />
      </div>
      <OwnDomains domains={activity.own_queues} hasTenants />
      <ToolTraffic tools={summary.byTool} />
    </>
  );
}
