import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { measureBy } from '#lib/platform';

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number;
}

/** Takes the metrics of the conventions in this process, as a collector would. */
export class CollectedMeasures implements AsyncDisposable {
  readonly #exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: this.#exporter, exportIntervalMillis: 3_600_000 })],
  });

  constructor() {
    measureBy(this.#provider.getMeter('test'));
  }

  /** All points of a metric until now. */
  async of(name: string): Promise<readonly Point[]> {
    this.#exporter.reset();
    await this.#provider.forceFlush();
    const metrics = this.#exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    return metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) =>
        dataPoints.flatMap(({ attributes, value }) =>
          typeof value === 'object' && 'sum' in value ? [{ attributes, count: value.count, sum: value.sum ?? 0 }] : [],
        ),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    measureBy(null);
    await this.#provider.shutdown();
  }
}
