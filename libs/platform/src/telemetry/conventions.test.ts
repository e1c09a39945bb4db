import { expect, test } from '@jest/globals';
import { SpanStatusCode, type Attributes } from '@opentelemetry/api';
import { conventional } from './conventions.js';

const of = (attributes: Attributes, code = SpanStatusCode.UNSET) => conventional({ name: 'x', attributes, status: { code } });

test('an attempt is the execution of a tool', () => {
  const attempt = { 'invoq.tool': 'get_weather', 'invoq.job_id': 'inv_1', 'invoq.attempt': 2 };
  expect(of(attempt)).toEqual({
    name: 'execute_tool get_weather',
    attributes: {
      ...attempt,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'inv_1',
    },
  });
  expect(of({ ...attempt, 'invoq.code': 'NOT_FOUND' }).attributes['error.type']).toBe('NOT_FOUND');
  expect(of(attempt, SpanStatusCode.ERROR).attributes['error.type']).toBe('_OTHER');
});

test('a message of MCP is a span of its method', () => {
  const message = { 'mcp.method.name': 'tools/call', 'mcp.protocol.version': '2026-07-28', 'gen_ai.tool.name': 'get_weather' };
  expect(of(message)).toEqual({
    name: 'tools/call get_weather',
    attributes: { ...message, 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.type': 'function' },
  });
  expect(of({ 'mcp.method.name': 'tools/list' }).name).toBe('tools/list');
});

test('every other span stays as it is', () => {
  const attributes = { 'http.request.method': 'GET', 'invoq.tool': 'get_weather' };
  expect(of(attributes)).toEqual({ name: 'x', attributes });
});
