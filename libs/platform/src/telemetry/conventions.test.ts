import { globSync, readFileSync } from 'node:fs';
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
  expect(of({ ...message, 'invoq.code': 'SOLD_OUT' }).attributes).toMatchObject({ 'error.type': 'tool_error', 'invoq.code': 'SOLD_OUT' });
  expect(of(message, SpanStatusCode.ERROR).attributes['error.type']).toBe('_OTHER');
});

test('every other span stays as it is', () => {
  const attributes = { 'http.request.method': 'GET', 'invoq.tool': 'get_weather' };
  expect(of(attributes)).toEqual({ name: 'x', attributes });
});

/** Of the registries of the conventions for generative AI and MCP, as they are published: what a tool call, a call of a model and a message can say. */
const published = new Set(
  Object.entries({
    'gen_ai.': ['operation.name', 'provider.name', 'conversation.id', 'agent.id', 'agent.name', 'output.type', 'prompt.name', 'token.type'],
    'gen_ai.request.': ['model', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'seed', 'choice.count'],
    'gen_ai.response.': ['id', 'model', 'finish_reasons'],
    'gen_ai.usage.': ['input_tokens', 'output_tokens'],
    'gen_ai.tool.': ['name', 'type', 'description', 'call.id', 'call.arguments', 'call.result'],
    'mcp.': ['method.name', 'protocol.version', 'session.id', 'resource.uri'],
    // Metrics.
    'gen_ai.client.': ['operation.duration', 'token.usage'],
    'gen_ai.execute_tool.': ['duration'],
    'mcp.client.': ['operation.duration', 'session.duration'],
    'mcp.server.': ['operation.duration', 'session.duration'],
  }).flatMap(([of, names]) => names.map((name) => of + name)),
);

test('every name of the conventions that the sources use is one of the published lists', () => {
  const files = globSync(['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts']).filter(
    (file) => !file.includes('.test.') && !file.includes('generated'),
  );
  const used = new Set(
    files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/'((?:gen_ai|mcp)\.[a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, name = '']) => name),
    ),
  );
  expect(used).toContain('gen_ai.tool.call.id');
  expect([...used].filter((name) => !published.has(name))).toEqual([]);
});
