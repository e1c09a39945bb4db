// What a collector of OpenTelemetry gets from the processes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { completeProfile, eventually, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { startCollector, type Collector } from '../collector.js';
import { inProcess } from '../in-process.js';
import { verifies } from '../verifies.js';

const body = { height_cm: 183.4375, weight_kg: 88.0625, age: 47, gender: 'female', activity_level: 'very_active' };

const message = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'user_profile_lookup', arguments: { user_id: 'user_001' } },
};
/** For the metrics. */
const messages = 3;

describe('traces', () => {
  const owner = new AsyncDisposableStack();
  let collector: Collector;
  let system: System;
  beforeAll(async () => {
    collector = owner.adopt(await startCollector(), ({ close }) => close());
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' };
    system = owner.use(await startSystem({ gatewayEnv: env, workerEnv: env }));
  }, startTimeoutMs);
  afterAll(async () => owner.disposeAsync());

  /** Makes a call. Gives whether the spans of gateway and worker are at the collector. */
  const called = async () => {
    const { metadata } = (await (await system.caller()).call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    return () => {
      const names = collector.spans.filter(({ traceId }) => traceId.startsWith(metadata.trace_id.slice(-12))).map(({ name }) => name);
      return names.some((name) => name.startsWith('POST ')) && names.includes('execute_tool user_profile_lookup');
    };
  };

  test('come with metrics by the conventions', async () => {
    const caller = await system.caller();
    for (let n = 0; n < messages; n++) await caller.post('/mcp', message);
    const counted = (name: string): number => collector.pointsOf(name).reduce((most, { count }) => Math.max(most, count), 0);
    await eventually(() => counted('mcp.server.operation.duration') === messages && counted('gen_ai.execute_tool.duration') > 0, {
      what: 'both metrics',
    });
    expect(collector.pointsOf('mcp.server.operation.duration').at(-1)).toMatchObject({
      unit: 's',
      service: 'gateway',
      bounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'user_profile_lookup', 'network.transport': 'tcp' },
    });
    expect(collector.pointsOf('gen_ai.execute_tool.duration').at(-1)).toMatchObject({
      service: 'profile-worker',
      attributes: { 'gen_ai.tool.name': 'user_profile_lookup', 'gen_ai.tool.type': 'function' },
    });
  });

  verifies(['TU-63'], 'go to a collector from gateway and worker where one is named', async () => {
    await eventually(await called(), { what: 'both spans at the collector' });
    const facts = collector.factsOf('execute_tool user_profile_lookup');
    // By the conventions for generative AI, and by our own names.
    expect(facts).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'user_profile_lookup',
      'gen_ai.tool.call.id': expect.stringMatching(/^inv_profile_/),
      'invoq.tool': 'user_profile_lookup',
    });
    // Not asked for, so not there.
    expect(Object.keys(facts).filter((name) => name.startsWith('gen_ai.tool.call.'))).toEqual(['gen_ai.tool.call.id']);
    await (await system.caller()).post('/mcp', message);
    await eventually(() => collector.spans.filter(({ name }) => name === 'tools/call user_profile_lookup').length === messages + 1, {
      what: 'the span of the message',
    });
  });

  verifies(['TU-63'], 'are sent before their process ends', async () => {
    const areThere = await called();
    await Promise.all([...system.workers, ...system.gateways].map((one) => one.stop()));
    expect(areThere()).toBe(true);
  });
});

test('traces have parameters and results at the collector alone, masked as in the log, where the operator asks for them', async () => {
  await using owner = new AsyncDisposableStack();
  const collector = owner.adopt(await startCollector(), ({ close }) => close());
  const workerEnv = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_CONTENT: 'on' };
  const system = owner.use(await startSystem({ inProcess, apart: ['workers'], workerEnv }));
  const caller = await system.caller();
  const { metadata } = (await caller.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
  await caller.call('calc_metrics', body);
  await eventually(() => collector.spans.some(({ name }) => name === 'execute_tool calc_metrics'), { what: 'both spans' });
  const facts = collector.factsOf('execute_tool user_profile_lookup');
  expect(facts['gen_ai.tool.call.arguments']).toBe('{"user_id":"user_001"}');
  expect(JSON.parse(facts['gen_ai.tool.call.result'] ?? '')).toMatchObject({ user_id: 'user_001', height_cm: '[redacted]' });
  expect(JSON.parse(collector.factsOf('execute_tool calc_metrics')['gen_ai.tool.call.arguments'] ?? '')).toMatchObject({
    height_cm: '[redacted]',
    weight_kg: '[redacted]',
  });
  const all = JSON.stringify(collector.spans);
  for (const value of [body.height_cm, body.weight_kg, completeProfile.height_cm, completeProfile.weight_kg])
    expect(all).not.toContain(String(value));
  const trace = await eventually(
    async () => {
      const reply = await caller.get(`/traces/${metadata.trace_id}`);
      return reply.status === 200 && reply.text.includes('"invoq.attempt"') ? reply.text : null;
    },
    { what: 'the trace' },
  );
  expect(trace).not.toContain('gen_ai.tool.call.');
});
