// The results that are drawn. The gateway has checked that a success fits the contract of its tool.
import type { OutputOf } from '#lib/client';

export type BaziChart = OutputOf<'show_bazi_chart'>;
export type ZodiacChart = OutputOf<'show_zodiac_chart'>;
export type HealthMetrics = OutputOf<'calc_metrics'>;
export type Insight = OutputOf<'show_insight'>;
export type Report = OutputOf<'show_report'>;

export function isBaziChart(tool: string, data: unknown): data is BaziChart {
  return tool === 'show_bazi_chart' && has(data, 'pillars');
}

export function isZodiacChart(tool: string, data: unknown): data is ZodiacChart {
  return tool === 'show_zodiac_chart' && has(data, 'bodies');
}

export function isHealthMetrics(tool: string, data: unknown): data is HealthMetrics {
  return tool === 'calc_metrics' && has(data, 'bmi');
}

export function isInsight(tool: string, data: unknown): data is Insight {
  return tool === 'show_insight' && has(data, 'content');
}

export function isReport(tool: string, data: unknown): data is Report {
  return tool === 'show_report' && has(data, 'sections');
}

function has(data: unknown, field: string): boolean {
  return typeof data === 'object' && data !== null && field in data;
}
