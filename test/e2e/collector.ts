// A receiver of OTLP over HTTP, as an operator would run one. It keeps what it is sent.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const attribute = z.object({ key: z.string(), value: z.looseObject({ stringValue: z.string().optional() }) });
const resource = z.object({ attributes: z.array(attribute) });
const span = z.object({ traceId: z.string(), name: z.string(), attributes: z.array(attribute) });
const traces = z.object({ resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(span) })) })) });
const point = z.object({ attributes: z.array(attribute), count: z.coerce.number(), explicitBounds: z.array(z.number()) });
const metric = z.object({ name: z.string(), unit: z.string(), histogram: z.object({ dataPoints: z.array(point) }) });
const metrics = z.object({
  resourceMetrics: z.array(z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) })),
});

type Attributes = z.output<typeof span>['attributes'];
const plain = (attributes: Attributes = []): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  /** Whose it is. */
  readonly service: string | undefined;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly count: number;
  readonly bounds: readonly number[];
}

export interface Collector {
  readonly url: string;
  readonly spans: z.output<typeof span>[];
  /** The attributes of the first span of this name. */
  readonly factsOf: (name: string) => Readonly<Record<string, string | undefined>>;
  /** In the order in which they came. */
  readonly pointsOf: (metric: string) => readonly ReceivedPoint[];
  readonly close: () => void;
}

export async function startCollector(): Promise<Collector> {
  const spans: Collector['spans'] = [];
  const points: ReceivedPoint[] = [];
  const take: Readonly<Record<string, (body: unknown) => void>> = {
    '/v1/traces': (body) => {
      const { resourceSpans } = traces.parse(body);
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    },
    '/v1/metrics': (body) => {
      for (const { resource: of, scopeMetrics } of metrics.parse(body).resourceMetrics)
        for (const { name, unit, histogram } of scopeMetrics.flatMap((scope) => scope.metrics))
          for (const { attributes, count, explicitBounds: bounds } of histogram.dataPoints)
            points.push({
              metric: name,
              unit,
              service: plain(of.attributes)['service.name'],
              attributes: plain(attributes),
              count,
              bounds,
            });
    },
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void text(request).then((body) => {
      take[request.url ?? '']?.(JSON.parse(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    factsOf: (name) => plain(spans.find((one) => one.name === name)?.attributes),
    pointsOf: (name) => points.filter(({ metric: of }) => of === name),
    close: () => server.close(),
  };
}
