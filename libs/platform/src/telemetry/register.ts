// Preloaded (`node --import '#telemetry'`): whatever is to be traced must be loaded after it. This and `export-measures.ts` alone know the SDK.
import { basename, dirname, resolve } from 'node:path';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, hrTimeToMilliseconds, W3CTraceContextPropagator } from '@opentelemetry/core';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { conventional } from './conventions.js';
import { kinds, LightTracerProvider, ownerOf, statuses } from './light-tracer.js';
import { contentAttributes, spanContent } from './span-content.js';
import { spanSink, unstored, type SpanRecord } from './span-sink.js';

const service = process.env['OTEL_SERVICE_NAME'] ?? appName(process.argv[1]);
const ratio = Number(process.env['OTEL_TRACES_SAMPLER_ARG'] ?? '1');
/** The settings of the gateway check it. */
const perSecond = Number(process.env['TRACES_PER_SECOND'] || (process.env['NODE_ENV'] === 'production' ? '100' : 'Infinity'));

const resourceHere = (): Resource => resourceFromAttributes({ 'service.name': service, 'service.instance.id': String(process.pid) });

const toSink: SpanExporter = {
  export: (spans, done) => {
    const kept = spans.filter(({ attributes }) => attributes[unstored] !== true);
    spanSink.push(kept.map(toRecord)).then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: unknown) => done({ code: ExportResultCode.FAILED, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  },
  shutdown: async () => undefined,
};

const passOnOwner: SpanProcessor = {
  onStart: (span, parent) => void span.setAttributes(ownerOf(trace.getSpan(parent), span.attributes)),
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

/** The SDK's own spans, where a collector gets them too. */
function providerOfSdk(exporters: readonly SpanExporter[]): TracerProvider {
  return new TracerProvider({
    resource: resourceHere(),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      passOnOwner,
      ...exporters.map(
        (exporter) => new BatchSpanProcessor({ exporter, scheduledDelayMillis: 500, maxQueueSize: 16_384, maxExportBatchSize: 1_024 }),
      ),
    ],
  });
}

async function providerOf(env: NodeJS.ProcessEnv): Promise<TracerProvider | LightTracerProvider> {
  const collector = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (!collector) return new LightTracerProvider({ service, ratio, perSecond, send: (spans) => spanSink.push(spans) });
  // Loaded only where it is configured: it would take a twentieth of every process's start.
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  spanContent.isTaken = env['TRACE_CONTENT'] === 'on';
  return providerOfSdk([toSink, byConventions(new OTLPTraceExporter())]);
}

/** Null where no collector takes metrics. */
async function metricsOf(env: NodeJS.ProcessEnv): Promise<{ readonly forceFlush: () => Promise<void> } | null> {
  const collector = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'];
  if (!collector || env['OTEL_METRICS_EXPORTER'] === 'none') return null;
  const { exportMeasures } = await import('./export-measures.js');
  return exportMeasures(resourceHere(), env);
}

/** An exporter that gets spans by the conventions of OpenTelemetry. */
function byConventions(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(
        spans.map((span) => Object.create(span, Object.getOwnPropertyDescriptors(conventional(span)))),
        done,
      ),
    shutdown: async () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

const provider = await providerOf(process.env);
const metrics = await metricsOf(process.env);

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(provider);
registerInstrumentations({
  tracerProvider: provider,
  instrumentations: [new PgInstrumentation({ requireParentSpan: true }), new UndiciInstrumentation({ requireParentforSpans: true })],
});
spanSink.filledBy(async () => void (await Promise.all([provider.forceFlush(), metrics?.forceFlush()])));

function toRecord(span: ReadableSpan): SpanRecord {
  return {
    trace_id: span.spanContext().traceId,
    span_id: span.spanContext().spanId,
    parent_span_id: span.parentSpanContext?.spanId ?? null,
    service,
    name: span.name,
    kind: kinds[span.kind],
    start: hrTimeToMilliseconds(span.startTime),
    duration_ms: Math.round(hrTimeToMilliseconds(span.duration) * 1_000) / 1_000,
    status: statuses[span.status.code],
    // For the collector alone: the store has no place for them, and other readers.
    attributes: Object.fromEntries(Object.entries(span.attributes).filter(([name]) => !contentAttributes.has(name))),
  };
}

/** `…/apps/gateway/src/main.js` is the gateway. */
function appName(entry: string | undefined): string {
  return entry ? basename(dirname(dirname(resolve(entry)))) : 'invoq';
}
