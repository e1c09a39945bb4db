// Every metric of the product. Names follow Prometheus' conventions: base units, `_total` on counters.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { processMetrics } from '#lib/platform';

// Edges at the alert thresholds of the source: 0.5 s and 2 s.
const callBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];

/** The metrics of one gateway or worker. Those of the process itself (`processMetrics`) are shown with them. */
export class Metrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly toolCalls = new Counter({
    name: 'invoq_tool_calls_total',
    help: 'Ended calls. result: success, refused (a 4xx: the caller can mend it), failed (a 5xx or 504: ours).',
    labelNames: ['tool', 'result', 'code', 'cache'],
    registers: this.#registers,
  });
  readonly tenantCalls = new Counter({
    name: 'invoq_tenant_calls_total',
    help: 'Ended calls by tenant: the first 1,000 that this process has seen, all others as "other".',
    labelNames: ['tenant', 'result'],
    registers: this.#registers,
  });
  readonly toolCallSeconds = new Histogram({
    name: 'invoq_tool_call_duration_seconds',
    help: 'From acceptance to end, queue and retries included.',
    labelNames: ['tool'],
    buckets: callBuckets,
    registers: this.#registers,
  });
  readonly toolAttempts = new Counter({
    name: 'invoq_tool_attempts_total',
    help: 'Attempts that were started.',
    labelNames: ['tool'],
    registers: this.#registers,
  });
  readonly toolRetries = new Counter({
    name: 'invoq_tool_retries_total',
    help: 'Attempts that will be followed by another.',
    labelNames: ['tool', 'failure'],
    registers: this.#registers,
  });
  readonly toolOutputTokens = new Histogram({
    name: 'invoq_tool_output_tokens',
    help: 'What answers cost a model that reads them, by the rules of TU-79; definitions have the estimate.',
    labelNames: ['tool'],
    buckets: [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000],
    registers: this.#registers,
  });
  readonly queueSeconds = new Histogram({
    name: 'invoq_queue_wait_seconds',
    help: 'From acceptance to the first attempt.',
    labelNames: ['domain'],
    buckets: callBuckets,
    registers: this.#registers,
  });
  readonly openInvocations = new Gauge({
    name: 'invoq_open_invocations',
    help: 'Calls that have not ended, over all processes. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly ownWorkers = new Gauge({
    name: 'invoq_own_workers',
    help: "Tenants' own workers that are connected, over all gateways. From gateways.",
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly openInvocationsLimit = new Gauge({
    name: 'invoq_open_invocations_limit',
    help: 'Open invocations past which callers are refused.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly fullestPartitionRatio = new Gauge({
    name: 'invoq_fullest_partition_ratio',
    help: 'Open invocations of the fullest partition of a domain, of those that it may hold, 0 to 1. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly queueCalls = new Gauge({
    name: 'invoq_queue_calls',
    help: 'Calls by state (waiting, active, delayed), over all processes. From gateways.',
    labelNames: ['domain', 'state'],
    registers: this.#registers,
  });
  readonly queueOldestWaitSeconds = new Gauge({
    name: 'invoq_queue_oldest_wait_seconds',
    help: 'How long the call that has waited longest has been waiting. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly flowWaiting = new Gauge({
    name: 'invoq_flow_waiting_calls',
    help: 'Calls that wait in the lines of flows, by the name of the flow: the 100 with the most, all others as "other". From gateways, a few seconds old.',
    labelNames: ['flow'],
    registers: this.#registers,
  });
  readonly historyWaiting = new Gauge({
    name: 'invoq_history_waiting',
    help: 'Ended calls that the history in Postgres does not have yet. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly historyLagSeconds = new Gauge({
    name: 'invoq_history_lag_seconds',
    help: 'How long ago the oldest of them ended. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly historyLost = new Gauge({
    name: 'invoq_history_lost',
    help: 'Ended calls that the history will never have, because a million of the domain waited for Postgres. From gateways.',
    labelNames: ['domain'],
    registers: this.#registers,
  });
  readonly httpSeconds = new Histogram({
    name: 'invoq_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer, by the pattern of the route; without event streams.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 10],
    registers: this.#registers,
  });
  readonly authFailures = new Counter({
    name: 'invoq_auth_failures_total',
    help: 'Requests without a valid credential, by the code of the answer.',
    labelNames: ['code'],
    registers: this.#registers,
  });
  readonly redisSeconds = new Histogram({
    name: 'invoq_redis_roundtrip_seconds',
    help: 'One small command, measured every five seconds.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2],
    registers: this.#registers,
  });
  readonly shedCalls = new Counter({
    name: 'invoq_shed_calls_total',
    help: 'Calls refused before acceptance to protect the rest.',
    labelNames: ['reason'],
    registers: this.#registers,
  });
  readonly sseSeconds = new Histogram({
    name: 'sse_connection_duration_seconds',
    help: 'How long event streams were open.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900],
    registers: this.#registers,
  });
  readonly sseEvents = new Counter({
    name: 'sse_events_emitted_total',
    help: 'Events written to streams.',
    labelNames: ['event'],
    registers: this.#registers,
  });
  readonly sseLost = new Counter({
    name: 'sse_events_lost_total',
    help: 'Events that a stream was cut off from because its reader was too slow; it can resume.',
    registers: this.#registers,
  });
  readonly fencedWrites = new Counter({
    name: 'invoq_fenced_writes_total',
    help: 'Late writes of a worker whose job had gone to another.',
    registers: this.#registers,
  });
  readonly retrievalSeconds = new Histogram({
    name: 'invoq_retrieval_seconds',
    help: 'Time of the search behind a knowledge tool, without the queue.',
    labelNames: ['tool'],
    buckets: callBuckets,
    registers: this.#registers,
  });
  readonly citations = new Counter({
    name: 'invoq_citations_total',
    help: 'Citations given. doc_type: internal (the runbook), stripe (official documents).',
    labelNames: ['doc_type'],
    registers: this.#registers,
  });
  readonly citationConfidence = new Histogram({
    name: 'invoq_citation_confidence',
    help: 'Confidence of each citation given.',
    labelNames: ['doc_type'],
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    registers: this.#registers,
  });
  readonly lateVectors = new Counter({
    name: 'invoq_late_vectors_total',
    help: 'Vectors made after their import: by a new provider, or because the provider was away.',
    registers: this.#registers,
  });
  readonly summariesMade = new Counter({
    name: 'invoq_memotree_summaries_total',
    help: 'Summaries by how they were made. outcome: completed, retried, failed.',
    labelNames: ['method', 'outcome'],
    registers: this.#registers,
  });

  get contentType(): string {
    return this.registry.contentType;
  }

  /** As Prometheus reads them. */
  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${await processMetrics.metrics()}`;
  }
}
