import { randomUUID } from 'node:crypto';
import {
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServerOptions,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Caller } from '#lib/contracts';
import type { ClientAnswers } from './client-answers.js';
import { OpenMcpServer } from './open-server.js';
import { withRefusal } from './relayed-refusal.js';
import type { Askable } from './session-id.js';

interface Asking {
  readonly answers: ClientAnswers;
  readonly caller: Caller;
  /** What the client said at its `initialize`. */
  readonly capabilities: Askable;
  readonly revision: string;
}

/**
 * A server for one request of a client of the older revisions that can be asked for something. A handler that returns `input_required`
 * asks a client of any revision: the SDK makes requests of it on the stream of the call, and calls the handler again with the answers.
 */
export class AskingServer extends OpenMcpServer {
  readonly #asking: Asking;

  constructor(info: Implementation, { asking, ...options }: McpServerOptions & { readonly asking: Asking }) {
    super(info, options);
    this.#asking = asking;
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(new AskingTransport(transport, this.#asking));
  }
}

/**
 * Stands between a server and the transport of its one request. It tells the server what the client can do, gives the server's requests
 * ids that are unique in the whole session (the SDK counts from 0 for each server), and takes the answers, which come to any gateway.
 */
class AskingTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  readonly #inner: Transport;
  readonly #asking: Asking;
  /** By the id that the server gave. */
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #introduction = { id: randomUUID(), done: Promise.withResolvers<void>() };

  constructor(inner: Transport, asking: Asking) {
    this.#inner = inner;
    this.#asking = asking;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.onmessage?.(message, extra);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => {
      for (const id of this.#open.keys()) this.#forget(id);
      this.#introduction.done.resolve();
      this.onclose?.();
    };
    await this.#inner.start();
    const { capabilities, revision: protocolVersion } = this.#asking;
    const params = { protocolVersion, capabilities, clientInfo: { name: 'client', version: '0' } };
    this.onmessage?.({ jsonrpc: '2.0', id: this.#introduction.id, method: 'initialize', params });
    await this.#introduction.done.promise;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      if (message.id === this.#introduction.id) return this.#introduction.done.resolve();
      return this.#inner.send(message, options);
    }
    if ('id' in message) return this.#ask(message, options);
    if (message.method !== 'notifications/cancelled') return this.#inner.send(message, options);
    const given = this.#forget(message.params?.['requestId']);
    // One that was not sent yet needs no cancelling.
    if (given) await this.#inner.send({ ...message, params: { ...message.params, requestId: given } }, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #ask({ id, params, ...request }: JSONRPCRequest, options?: TransportSendOptions): Promise<void> {
    const open = new OpenRequest();
    this.#open.set(id, open);
    try {
      const { answers, caller } = this.#asking;
      open.waits(
        await answers.expect(caller, open.id, (answer) => {
          this.#forget(id);
          this.onmessage?.({ ...withRefusal({ ...request, params }, answer), id });
        }),
      );
      if (!this.#open.has(id)) return;
      await this.#inner.send({ ...request, id: open.id, ...(params && { params: withoutProgress(params) }) }, options);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  /** The id by which the client knows a request that is no longer waited for. */
  #forget(id: unknown): string | null {
    if (typeof id !== 'string' && typeof id !== 'number') return null;
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.[Symbol.dispose]();
    return open?.id ?? null;
  }
}

/** A request to a client. */
class OpenRequest implements Disposable {
  readonly id = randomUUID();
  #waiting: Disposable | null = null;
  #isOver = false;

  waits(waiting: Disposable): void {
    this.#waiting = waiting;
    if (this.#isOver) waiting[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#waiting?.[Symbol.dispose]();
  }
}

/** Progress of a client comes to any gateway, and nobody here would wait longer for it. */
function withoutProgress({ _meta, ...params }: NonNullable<JSONRPCRequest['params']>): JSONRPCRequest['params'] {
  const { progressToken: _, ...meta } = _meta ?? {};
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
}
