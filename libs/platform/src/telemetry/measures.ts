// Metrics by the conventions of OpenTelemetry for generative AI and MCP. They leave by OTLP, beside those of /metrics, and cost nothing where
// no collector takes them.
import type { Attributes, Histogram, Meter } from '@opentelemetry/api';

/** @limit calls: combinations of attributes of one metric for a collector, in a process; further ones are told together */
export const mostSeries = 2_000;

/** Of operations of MCP and its sessions, in seconds. */
const ofMessages = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Of calls of models and tools, in seconds. */
const ofOperations = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const ofTokens = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

interface MeasureFacts {
  readonly name: string;
  readonly unit: 's' | '{token}';
  readonly description: string;
  /** Upper bounds of its buckets, as the convention recommends them. */
  readonly bounds: readonly number[];
}

let meter: Meter | null = null;

/** One metric of the conventions. */
export class Measure {
  readonly facts: MeasureFacts;
  #histogram: Histogram | null = null;
  #of: Meter | null = null;

  constructor(facts: MeasureFacts) {
    this.facts = facts;
  }

  /** Whether anybody takes it. */
  get isTaken(): boolean {
    return meter !== null;
  }

  /** @param attributes asked only where somebody takes it. None may be a stranger's own text: each would be a series of its own. */
  record(value: number, attributes: () => Attributes): void {
    if (meter === null) return;
    if (this.#histogram === null || this.#of !== meter) {
      const { name, unit, description, bounds } = this.facts;
      this.#of = meter;
      this.#histogram = meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...bounds] } });
    }
    this.#histogram.record(value, attributes());
  }

  /** @param startedAt by `performance.now()` */
  since(startedAt: number, attributes: () => Attributes): void {
    this.record((performance.now() - startedAt) / 1_000, attributes);
  }
}

const seconds = (name: string, bounds: readonly number[], description: string): Measure =>
  new Measure({ name, unit: 's', description, bounds });

/** All of them, by the end of their names. */
export const measures = {
  serverOperation: seconds('mcp.server.operation.duration', ofMessages, 'From a message of MCP that came to the end of its answer.'),
  serverSession: seconds('mcp.server.session.duration', ofMessages, 'A session of MCP, from its greeting to the DELETE of its client.'),
  clientOperation: seconds('mcp.client.operation.duration', ofMessages, 'From a message to an outside server to its answer.'),
  clientSession: seconds('mcp.client.session.duration', ofMessages, 'A session with an outside server.'),
  modelOperation: seconds('gen_ai.client.operation.duration', ofOperations, 'A call of a model, to the end of its answer.'),
  toolExecution: seconds('gen_ai.execute_tool.duration', ofOperations, 'An attempt of a call of a tool.'),
  tokens: new Measure({
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Tokens that a call of a model read (input) or wrote (output).',
    bounds: ofTokens,
  }),
} as const;

/** From now on they are recorded by this meter; null for none. */
export function measureBy(given: Meter | null): void {
  meter = given;
}

/** Of a URL that a client sends requests to. */
export function serverAddress(url: string): { readonly 'server.address': string; readonly 'server.port': number } {
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) };
}
