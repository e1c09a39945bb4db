// What our spans say, also by the names of OpenTelemetry's conventions for generative AI and MCP, so that tools that know these show us without
// being told. It is added where spans leave for a collector: calls cost nothing more.
import { SpanStatusCode, type Attributes } from '@opentelemetry/api';

/** The part of a span that the conventions are about. */
export interface ConventionalSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: SpanStatusCode };
}

/**
 * Name and attributes by the conventions: an attempt is the execution of a tool (semantic conventions for generative AI, execute tool span), and
 * a message of MCP is a span of its method (semantic conventions for MCP, server span). Others stay as they are.
 */
export function conventional({ name, attributes, status }: ConventionalSpan): { readonly name: string; readonly attributes: Attributes } {
  const { 'invoq.tool': tool, 'invoq.job_id': job, 'invoq.attempt': attempt, 'invoq.code': code, 'mcp.method.name': method } = attributes;
  const failed = status.code === SpanStatusCode.ERROR || code !== undefined;
  const error = failed && attributes['error.type'] === undefined ? { 'error.type': code ?? '_OTHER' } : {};
  if (attempt !== undefined && typeof tool === 'string')
    return {
      name: `execute_tool ${tool}`,
      attributes: { ...attributes, ...error, ...executed(tool), ...(job !== undefined && { 'gen_ai.tool.call.id': job }) },
    };
  if (typeof method === 'string') {
    const called = attributes['gen_ai.tool.name'];
    const target = typeof called === 'string' ? called : null;
    // What a tool says of its failure is a result of the protocol: the convention has one word for it, and our own code stands beside.
    const ofTool = method === 'tools/call' &&
      code !== undefined &&
      attributes['error.type'] === undefined && { 'error.type': 'tool_error' };
    return {
      name: target === null ? method : `${method} ${target}`,
      attributes: { ...attributes, ...error, ...ofTool, ...(target !== null && executed(target)) },
    };
  }
  return { name, attributes };
}

function executed(tool: string): Attributes {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool, 'gen_ai.tool.type': 'function' };
}
