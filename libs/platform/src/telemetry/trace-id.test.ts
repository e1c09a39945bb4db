import { expect, test } from '@jest/globals';
import { isTraceId, outwardTraceId } from './trace-id.js';

test('the outward form is the date and the first twelve digits of the trace', () => {
  expect(outwardTraceId('d57852778497c043afdebffc6d5c968c', new Date('2026-11-21T23:59:59.999Z'))).toBe('trace_20261121_d57852778497');
});

test('only ids of the documented form are taken from callers', () => {
  for (const good of ['trace_abc123_xyz789', 'trace_1', `trace_${'a'.repeat(64)}`]) expect(isTraceId(good)).toBe(true);
  for (const bad of ['', 'trace_', 'x', `trace_${'a'.repeat(65)}`, 'trace_a b', 'trace_a\n', 'trace_ä', 7, null])
    expect(isTraceId(bad)).toBe(false);
});
