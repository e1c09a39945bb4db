// The results that are drawn. The gateway has checked that a success fits the contract of its tool.
import type { ProductTools } from '#lib/contracts';

export type BaziChart = ProductTools['show_bazi_chart']['output'];
export type ZodiacChart = ProductTools['show_zodiac_chart']['output'];
export type HealthMetrics = ProductTools['calc_metrics']['output'];
export type Insight = ProductTools['show_insight']['output'];
export type Report = ProductTools['show_report']['output'];

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
