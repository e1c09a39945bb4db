import { afterEach, expect, test } from '@jest/globals';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import * as published from '@opentelemetry/semantic-conventions/incubating';
import { measureBy, measures, mostSeries } from './measures.js';
import { knownMethod, knownRevision, statusOfClient, statusOfServer } from './mcp-names.js';

afterEach(() => measureBy(null));

function collect() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 3_600_000,
    cardinalityLimits: { default: mostSeries },
  });
  const provider = new MeterProvider({ readers: [reader] });
  measureBy(provider.getMeter('invoq'));
  return async () => {
    await provider.forceFlush();
    return exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
}

/** Of the convention, as it is published: unit and recommended buckets. One is of a later list than that of the package. */
const messages = { unit: 's', bounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] };
const operations = { unit: 's', bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] };
const tokens = { unit: '{token}', bounds: Array.from({ length: 14 }, (_, power) => 4 ** power) };
const convention: Readonly<Record<string, typeof messages>> = {
  [published.METRIC_MCP_SERVER_OPERATION_DURATION]: messages,
  [published.METRIC_MCP_SERVER_SESSION_DURATION]: messages,
  [published.METRIC_MCP_CLIENT_OPERATION_DURATION]: messages,
  [published.METRIC_MCP_CLIENT_SESSION_DURATION]: messages,
  [published.METRIC_GEN_AI_CLIENT_OPERATION_DURATION]: operations,
  [published.METRIC_GEN_AI_CLIENT_TOKEN_USAGE]: tokens,
  'gen_ai.execute_tool.duration': operations,
};

test('names, units and buckets are those of the convention', () => {
  const ours = Object.values(measures).map(({ facts: { name, unit, bounds } }) => [name, { unit, bounds }]);
  expect(Object.fromEntries(ours)).toEqual(convention);
});

test('a metric leaves as a histogram with those buckets', async () => {
  const collected = collect();
  measures.tokens.record(900, () => ({ 'gen_ai.token.type': 'input' }));
  measures.tokens.record(5, () => ({ 'gen_ai.token.type': 'output' }));
  const [metric] = await collected();
  expect(metric?.descriptor).toMatchObject({ name: 'gen_ai.client.token.usage', unit: '{token}' });
  expect(metric?.dataPoints.map(({ attributes, value }) => ({ attributes, value }))).toMatchObject([
    { attributes: { 'gen_ai.token.type': 'input' }, value: { count: 1, sum: 900, buckets: { boundaries: tokens.bounds } } },
    { attributes: { 'gen_ai.token.type': 'output' }, value: { count: 1, sum: 5 } },
  ]);
});

test('nobody is asked for attributes where nobody takes them', () => {
  expect(measures.serverOperation.isTaken).toBe(false);
  measures.serverOperation.record(1, () => {
    throw new Error('asked');
  });
  collect();
  expect(measures.serverOperation.isTaken).toBe(true);
});

test('past the bound all further series are told together', async () => {
  const collected = collect();
  for (let n = 0; n < mostSeries + 500; n++) measures.toolExecution.record(0.1, () => ({ 'gen_ai.tool.name': `tool_${n}` }));
  const [metric] = await collected();
  expect(metric?.dataPoints).toHaveLength(mostSeries);
  const rest = metric?.dataPoints.find(({ attributes }) => attributes['otel.metric.overflow'] === true);
  expect(rest?.value).toMatchObject({ count: 501 });
});

test('words of strangers are no values', () => {
  expect([knownMethod('tools/call'), knownMethod('subscriptions/listen'), knownMethod('tools/call2')]).toEqual([
    'tools/call',
    'subscriptions/listen',
    '_OTHER',
  ]);
  expect(knownRevision('2025-11-25')).toEqual({ 'mcp.protocol.version': '2025-11-25' });
  for (const other of ['2099-01-01', '', undefined, 7]) expect(knownRevision(other)).toEqual({});
});

test('faults of the sender are no errors of a server, and each code is one for its client', () => {
  for (const code of [-32_700, -32_600, -32_601, -32_602, -32_002])
    expect(statusOfServer(code)).toEqual({ 'rpc.response.status_code': String(code) });
  expect(statusOfServer(-32_603)).toEqual({ 'rpc.response.status_code': '-32603', 'error.type': '-32603' });
  expect(statusOfClient(-32_602)).toEqual({ 'rpc.response.status_code': '-32602', 'error.type': '-32602' });
  for (const code of [1, 123_456, -1, 1.5, Number.NaN]) expect(statusOfClient(code)['error.type']).toBe('_OTHER');
});
