import { lazy, Suspense, useMemo } from 'react';
import type { Activity, QueueDepthShown } from '#lib/contracts';
import { WaitedFor } from '../../components/domains/domain-state.js';
import { OwnDomains } from '../../components/domains/own-domains.js';
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
import { Verdict } from './verdict.js';

const TimeChart = lazy(() => import('../../components/time-chart.js').then(({ TimeChart: component }) => ({ default: component })));

/** The errors that a range is looked at with: the screen of errors counts by the minute. */
const sinces = { seconds: '15m', minutes: '6h' } as const;

interface ActivityViewProps {
  readonly activity: Activity;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

/** How it stands; then calls, errors, latencies, queues and workers. */
export function ActivityView({ activity, range, onRange }: ActivityViewProps) {
  const words = useText(homeText);
  const language = useLanguage();
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
  const domains = [...activity.queues, ...activity.own_queues];
  const { waiting, oldest_waiting_at: oldest } = waitingOf(domains);
  const window = words.inWindow(words.ranges[range]);
  const callsTitle = range === 'seconds' ? words.callsPerSecond : words.callsPerMinute;
  return (
    <>
      <Verdict
        scope="all"
        domains={domains}
        errors={{ system: summary.faults, calls: summary.calls, since: sinces[range], window: words.ranges[range] }}
      />
      <div className="line spread wrap">
        <Segments
          label={words.range}
          value={range}
          choices={[
            ['seconds', words.ranges.seconds],
            ['minutes', words.ranges.minutes],
          ]}
          onChoose={onRange}
        />
      </div>
      <Stats
        stats={[
          { label: words.calls, value: formatCount(summary.calls, language), aside: window },
          {
            label: words.systemErrors,
            value: <span className={summary.faults > 0 ? 'fault-figure' : ''}>{formatCount(summary.faults, language)}</span>,
            aside: words.rate(rateOf(summary.faults, summary.calls)),
          },
          { label: words.callersErrors, value: formatCount(summary.errors - summary.faults, language), aside: words.callersHelp },
          {
            label: words.waiting,
            value: formatCount(waiting, language),
            aside: oldest === null ? words.waitingHelp : <WaitedFor since={oldest} />,
          },
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
        <ErrorCodes codes={summary.byCode} since={sinces[range]} />
        <Queues queues={activity.queues} />
      </div>
      <OwnDomains domains={activity.own_queues} hasTenants />
      <ToolTraffic tools={summary.byTool} since={sinces[range]} />
    </>
  );
}

/** Per cent with one digit; the smallest that is not nothing is told as such. */
function rateOf(count: number, calls: number): string {
  if (count === 0 || calls === 0) return '0 %';
  const share = (count / calls) * 100;
  return share < 0.1 ? '< 0.1 %' : `${share.toFixed(1)} %`;
}

/** All calls that wait for a worker, and since when the first of them does. */
function waitingOf(domains: readonly QueueDepthShown[]): Pick<QueueDepthShown, 'waiting' | 'oldest_waiting_at'> {
  return {
    waiting: domains.reduce((sum, { waiting }) => sum + waiting, 0),
    oldest_waiting_at: domains.flatMap(({ oldest_waiting_at: at }) => at ?? []).sort()[0] ?? null,
  };
}
