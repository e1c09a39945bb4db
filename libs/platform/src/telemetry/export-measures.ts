// Sends the metrics of the conventions to a collector. Loaded only where one is configured.
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonMetricsSerializer, MetricsExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { measureBy, mostSeries } from './measures.js';

class OtlpMetrics extends OTLPExporterBase<ResourceMetrics> implements PushMetricExporter {
  readonly #temporality: AggregationTemporality;

  constructor(temporality: AggregationTemporality) {
    const options = convertLegacyHttpOptions({}, 'METRICS', 'v1/metrics', { 'Content-Type': 'application/json' });
    super(
      createOtlpHttpExportDelegate(options, JsonMetricsSerializer, 'otlp_http_metric_exporter', MetricsExporterMetricsHelper, undefined),
    );
    this.#temporality = temporality;
  }

  selectAggregationTemporality(): AggregationTemporality {
    return this.#temporality;
  }
}

/** Begins to measure. By the variables of OpenTelemetry: where to, how often, and whether sums start anew with each. */
export function exportMeasures(resource: Resource, env: NodeJS.ProcessEnv): Pick<MeterProvider, 'forceFlush'> {
  const isDelta = /^(delta|lowmemory)$/i.test(env['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'] ?? '');
  const intervalMs = Math.max(1_000, Number(env['OTEL_METRIC_EXPORT_INTERVAL']) || 60_000);
  const reader = new PeriodicExportingMetricReader({
    exporter: new OtlpMetrics(isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, 10_000),
    cardinalityLimits: { default: mostSeries },
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  measureBy(provider.getMeter('invoq'));
  return provider;
}
