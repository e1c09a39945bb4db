import { lazy, Suspense } from 'react';
import { Loading } from '../loading.js';
import type { Input } from '../schema-form/input.js';
import { isBaziChart, isHealthMetrics, isInsight, isReport, isZodiacChart } from './results.js';

const Pillars = lazy(() => import('./pillars.js').then(({ Pillars: component }) => ({ default: component })));
const ZodiacWheel = lazy(() => import('./zodiac-wheel.js').then(({ ZodiacWheel: component }) => ({ default: component })));
const HealthGauges = lazy(() => import('./health-gauges.js').then(({ HealthGauges: component }) => ({ default: component })));
const InsightCard = lazy(() => import('./cards.js').then(({ InsightCard: component }) => ({ default: component })));
const ReportCard = lazy(() => import('./cards.js').then(({ ReportCard: component }) => ({ default: component })));

interface DrawingProps {
  readonly tool: string;
  readonly data: unknown;
  readonly input: Input;
}

/** The result of a tool as people would rather look at it; nothing for tools without a picture. */
export function Drawing(props: DrawingProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Picture {...props} />
    </Suspense>
  );
}

function Picture({ tool, data, input }: DrawingProps) {
  if (isBaziChart(tool, data)) return <Pillars chart={data} />;
  if (isZodiacChart(tool, data)) return <ZodiacWheel chart={data} />;
  if (isHealthMetrics(tool, data)) return <HealthGauges metrics={data} input={input} />;
  if (isInsight(tool, data)) return <InsightCard insight={data} />;
  if (isReport(tool, data)) return <ReportCard report={data} />;
  return null;
}
