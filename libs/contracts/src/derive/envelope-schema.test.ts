import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import { errorCodes, type ErrorCode } from '../errors.js';
import type { CallFacts, Outcome } from '../envelope.js';
import { toEnvelope } from '../wire/unified.js';
import { briefEnvelopeSchema, envelopeSchema } from './envelope-schema.js';
import { toJsonSchema } from './json-schema.js';

const codes = Object.keys(errorCodes) as ErrorCode[];
const data = toJsonSchema(z.strictObject({ bmi: z.number() }), 'output');
const facts: CallFacts = {
  toolName: 'calc_metrics',
  traceId: 'trace_20260101_abcdefabcdef',
  timestamp: Date.UTC(2026, 0, 1),
  executionMs: 1.5,
  performance: { validation_ms: 0, queue_ms: 1, network_ms: 2, processing_ms: 3, total_ms: 6 },
  cache: { hit: true, cached_at: '2026-01-01T00:00:00.000Z', ttl_remaining: 3 },
  jobId: 'inv_profile_1',
  attempts: 2,
  toolVersion: '2.0.0',
  metacognition: { checked: false },
  debugInfo: { a: 1 },
};

/** Whether a value fits a JSON Schema, read by a validator that did not make it. */
function fits(schema: object, value: unknown): boolean {
  return z.fromJSONSchema(JSON.parse(JSON.stringify(schema))).safeParse(value).success;
}

describe.each([
  ['the envelope', envelopeSchema(data)],
  ['its brief form', briefEnvelopeSchema(data)],
])('%s', (_what, schema) => {
  test('describes every success', () => {
    const success: Outcome = { ok: true, data: { bmi: 22 }, warnings: ['w'] };
    expect(fits(schema, toEnvelope(success, facts))).toBe(true);
    expect(fits(schema, toEnvelope(success, { toolName: 't', traceId: 'x', timestamp: 0 }))).toBe(true);
  });

  test.each(codes)('describes a failure with %s', (code) => {
    const error = { code, family: code, message: 'm', native_code: 'n', details: [{ path: 'a', message: 'b' }], retry_after_ms: 5 };
    expect(fits(schema, toEnvelope({ ok: false, error }, facts))).toBe(true);
  });

  test.each<[string, (envelope: Record<string, unknown>) => object]>([
    ['without success', ({ success: _success, ...rest }) => rest],
    ['without metadata', ({ metadata: _metadata, ...rest }) => rest],
    ['with another status', (envelope) => ({ ...envelope, status: 'ok' })],
    ['with other data', (envelope) => ({ ...envelope, data: { bmi: 'heavy' } })],
    ['with data that is missing', (envelope) => ({ ...envelope, data: {} })],
    ['with an error without a code', (envelope) => ({ ...envelope, error: { message: 'm', retryable: true } })],
    ['with metadata without a trace', (envelope) => ({ ...envelope, metadata: { tool_name: 't', timestamp: 'x' } })],
  ])('does not describe an answer %s', (_which, change) => {
    const envelope = { ...toEnvelope({ ok: true, data: { bmi: 22 } }, facts) };
    expect(fits(schema, change(envelope))).toBe(false);
  });
});

test('definitions that the data refers to stand at the root, where references look for them', () => {
  const referring = { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'string' } } } as const;
  for (const make of [envelopeSchema, briefEnvelopeSchema]) {
    const schema = make(referring);
    expect(schema['$defs']).toEqual({ A: { type: 'string' } });
    expect(schema.properties?.['data']).not.toHaveProperty('$defs');
    expect(make(data)).not.toHaveProperty('$defs');
  }
});

test('the brief form is much shorter, since lists of tools are read by models', () => {
  const length = (schema: object) => JSON.stringify(schema).length;
  expect(length(briefEnvelopeSchema(data))).toBeLessThan(length(envelopeSchema(data)) / 3);
});

test.each(tools.map((contract) => [`${contract.name}@${contract.version}`, contract] as const))(
  'the examples of %s fit the envelope of its output',
  (_name, contract) => {
    const schema = envelopeSchema(toJsonSchema(contract.output, 'output'));
    for (const { output } of contract.examples) expect(fits(schema, toEnvelope({ ok: true, data: output }, facts))).toBe(true);
  },
);
