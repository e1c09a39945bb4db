// What messages to an outside server take, by the metrics of OpenTelemetry's conventions for MCP.
import type { Attributes } from '@opentelemetry/api';
import { isJsonObject } from '#lib/contracts';
import { knownMethod, knownRevision, measures, nameAsked, serverAddress, statusOfClient } from '#lib/platform';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** @limit outside servers: messages to a server that wait for their answers and are measured; further ones are not */
const mostOpen = 1_000;

interface Sent {
  readonly at: number;
  readonly attributes: Attributes;
}

/** Of one server. All that it tells of is ours: methods that we send, tools that were approved, the address of the registration. */
export class MeasuredUpstream {
  readonly #about: Attributes;
  readonly #revision: () => string | null;
  readonly #open = new Map<string, Sent>();
  readonly #since = performance.now();

  /** @param url null for a command */
  constructor(url: string | null, revision: () => string | null) {
    this.#about =
      url === null
        ? { 'network.transport': 'pipe' }
        : { ...serverAddress(url), 'network.transport': 'tcp', 'network.protocol.name': 'http' };
    this.#revision = revision;
  }

  /**
   * @param signal ends a request, in revisions that have no message for it
   * @returns called when it was sent: of a notification that is all
   */
  sends(message: JSONRPCMessage, signal?: AbortSignal): { sent(): void; failed(): void } | null {
    if (!measures.clientOperation.isTaken || !('method' in message)) return null;
    const { method, params } = message;
    const sent: Sent = {
      at: performance.now(),
      attributes: { 'mcp.method.name': knownMethod(method), ...targetOf(method, nameAsked(params)) },
    };
    if (!('id' in message)) {
      if (method === 'notifications/cancelled' && isJsonObject(params))
        this.#end(String(params['requestId']), { 'error.type': 'cancelled' });
      return { sent: () => this.#tell(sent), failed: () => this.#tell(sent, { 'error.type': '_OTHER' }) };
    }
    const id = String(message.id);
    if (this.#open.size < mostOpen) this.#open.set(id, sent);
    signal?.addEventListener('abort', () => this.#end(id, { 'error.type': 'cancelled' }), { once: true });
    return { sent: () => undefined, failed: () => this.#end(id, { 'error.type': '_OTHER' }) };
  }

  receives(message: JSONRPCMessage): void {
    if (this.#open.size === 0 || 'method' in message || !('id' in message)) return;
    this.#end(String(message.id), faultIn(message));
  }

  /** Whatever is still open gets no answer. */
  closed(hadSession: boolean): void {
    for (const id of this.#open.keys()) this.#end(id, { 'error.type': '_OTHER' });
    if (hadSession) measures.clientSession.since(this.#since, () => ({ ...this.#about, ...knownRevision(this.#revision()) }));
  }

  #end(id: string, fault?: Attributes): void {
    const sent = this.#open.get(id);
    if (sent) this.#tell(sent, fault);
    this.#open.delete(id);
  }

  #tell({ at, attributes }: Sent, fault: Attributes = {}): void {
    measures.clientOperation.since(at, () => ({ ...this.#about, ...knownRevision(this.#revision()), ...attributes, ...fault }));
  }
}

function targetOf(method: string, name: string | null): Attributes {
  if (name === null) return {};
  if (method === 'tools/call') return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  return method === 'prompts/get' ? { 'gen_ai.prompt.name': name } : {};
}

function faultIn(message: JSONRPCMessage): Attributes {
  if ('error' in message) return statusOfClient(message.error.code);
  return 'result' in message && message.result['isError'] === true ? { 'error.type': 'tool_error' } : {};
}
