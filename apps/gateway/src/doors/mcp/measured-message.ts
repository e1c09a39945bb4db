// What a message of MCP took, by the metrics of OpenTelemetry's conventions.
import type { Attributes } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { isJsonObject } from '#lib/contracts';
import { knownMethod, knownRevision, measures, nameAsked, statusOfServer } from '#lib/platform';
import type { MeasuredRequest } from '../../calls/measured-request.js';
import { sessionStart } from './session-id.js';

/** No session is longer, so an id that says so is none of ours. */
const longestSessionMs = 30 * 24 * 3_600_000;
const mostNameCharacters = 128;

interface MessageFacts {
  readonly headers: FastifyRequest['headers'];
  readonly httpVersion: string;
  readonly body: unknown;
  /** The name of a tool that there is for this caller; null for none. */
  readonly toolNamed: (name: string) => string | null;
}

/** Null where nobody takes the metric, and for what is no single message: a batch, an answer, a stream that listens. */
export function measuredMessage({ headers, httpVersion, body, toolNamed }: MessageFacts): MeasuredMessage | null {
  if (!measures.serverOperation.isTaken || !isJsonObject(body) || typeof body['method'] !== 'string') return null;
  const { method, params } = body;
  const named = nameAsked(params);
  const tool = method === 'tools/call' && named !== null ? toolNamed(named) : null;
  return new MeasuredMessage(
    {
      'mcp.method.name': knownMethod(method),
      ...(tool !== null && { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool }),
      ...connectionOf(headers, httpVersion),
    },
    method === 'prompts/get' && named !== null && named.length <= mostNameCharacters ? named : null,
  );
}

/** A session whose client has ended it. Those that are left without a word are not measured. */
export function measureSession({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): void {
  if (!measures.serverSession.isTaken) return;
  const startedAt = sessionStart(headers['mcp-session-id']);
  const ms = startedAt === null ? -1 : Date.now() - startedAt;
  if (ms < 0 || ms > longestSessionMs) return;
  const { 'network.protocol.version': _version, ...attributes } = connectionOf(headers, raw.httpVersion);
  measures.serverSession.record(ms / 1_000, () => attributes);
}

function connectionOf(headers: FastifyRequest['headers'], httpVersion: string): Attributes {
  return {
    ...knownRevision(headers['mcp-protocol-version']),
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'network.protocol.version': httpVersion,
  };
}

class MeasuredMessage implements MeasuredRequest {
  /** Of a message that was answered well. */
  readonly attributes: Attributes;
  readonly #prompt: string | null;
  #fault: Attributes | null = null;

  constructor(attributes: Attributes, prompt: string | null) {
    this.attributes = attributes;
    this.#prompt = prompt;
  }

  refusedBy(code: number): void {
    this.#fault = statusOfServer(code);
  }

  toolFailed(): void {
    this.#fault ??= { 'error.type': 'tool_error' };
  }

  ended(startedAt: number, status: number): void {
    const fault = this.#fault ?? (status >= 400 ? { 'error.type': String(status) } : null);
    // Only one that there is has been answered, so its name is no stranger's text.
    const prompt = fault === null && this.#prompt !== null ? { 'gen_ai.prompt.name': this.#prompt } : {};
    measures.serverOperation.since(startedAt, () => ({ ...this.attributes, ...prompt, ...fault }));
  }
}
