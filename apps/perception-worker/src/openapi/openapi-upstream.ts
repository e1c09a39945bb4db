import { outsideTool, type OpenApiSource, type OutsideServer, type OutsideTool } from '#lib/contracts';
import { Failure } from '#lib/handlers';
import { AddressRefused } from '#lib/platform';
import type { ServerAccount } from '../upstreams/server-account.js';
import type { GuardedFetch } from '../upstreams/guarded-fetch.js';
import { httpFailure } from '../upstreams/upstream-failure.js';
import { SilentUpstream, type ToolListing, type Upstream, type UpstreamAnswer, type UpstreamCall } from '../upstreams/upstream.js';
import { answerOf, readResponse } from './answer.js';
import type { DocumentReader } from './document-reader.js';
import { UnusableDocument } from './document.js';
import { digestOf } from './read-document.js';
import { requestOf, UnsendableInput } from './request.js';

/** Where a document is, and what is wanted of it. */
export interface DocumentOrder {
  /** The document itself; absent for the one at the address, or for what was approved. */
  readonly document?: string | undefined;
  readonly baseUrl: string | null;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

interface OpenApiParts {
  readonly name: string;
  readonly tenantId: string | null;
  /** Of the document; null for one that was given. */
  readonly url: string | null;
  readonly order: DocumentOrder;
  /** As it was approved; null before. */
  readonly approved: Pick<OutsideServer, 'openapi' | 'tools'> | null;
  readonly fetch: GuardedFetch;
  readonly credentials: Readonly<Record<string, string>>;
  /** Whether the registration has anything secret. */
  readonly holds: boolean;
  /** Of a caller; `fetch` sends its token. */
  readonly account: ServerAccount | null;
  readonly reader: Pick<DocumentReader, 'toolsOf'>;
}

/** A tenant of none is a tenant of its own for the places of processes. */
const forAll = '*';

/** A service with an OpenAPI document. A call is the request that was approved, whatever the document says later. */
export class OpenApiUpstream extends SilentUpstream implements Upstream {
  readonly kind = 'openapi';
  readonly #parts: OpenApiParts;
  readonly #byName: ReadonlyMap<string, OutsideTool>;
  #etag: string | null = null;

  constructor(parts: OpenApiParts) {
    super();
    this.#parts = parts;
    this.#byName = new Map((parts.approved?.tools ?? []).map((tool) => [tool.name, tool]));
  }

  /**
   * The tools of the document as it is now. One that was approved and cannot be read now has not changed, as far as is known: its calls are
   * made as they were approved.
   */
  async list(signal: AbortSignal): Promise<ToolListing> {
    const { approved, url, order } = this.#parts;
    if (!approved) return this.#read(order.document ?? (await this.#document(signal)) ?? '', signal);
    if (url === null) return listingOf(approved);
    let text: string | null;
    try {
      text = await this.#document(signal);
    } catch (error) {
      if (signal.aborted || error instanceof AddressRefused) throw error;
      return listingOf(approved);
    }
    return text === null || digestOf(text) === approved.openapi?.digest ? listingOf(approved) : this.#read(text, signal);
  }

  async call({ tool, input, signal, timeoutMs, idempotent, recordUpstreamAnswer }: UpstreamCall): Promise<UpstreamAnswer> {
    const { name, fetch, approved, credentials, account } = this.#parts;
    const operation = this.#byName.get(tool)?.operation;
    const baseUrl = approved?.openapi?.baseUrl;
    if (!operation || baseUrl === undefined) throw new Failure('service', `${name} has no operation ${tool}`);
    let request;
    try {
      request = await requestOf(operation, {
        input,
        baseUrl,
        credentials,
        accountHeader: account?.current.header.name.toLowerCase() ?? null,
      });
    } catch (error) {
      if (!(error instanceof UnsendableInput)) throw error;
      return { kind: 'refused', invalidParams: true, message: error.message };
    }
    const { url, method, body, secrets } = request;
    const response = await fetch(url, {
      method,
      headers: request.headers,
      homeHeaders: secrets,
      ...(body !== null && { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const read = await readResponse(response);
    recordUpstreamAnswer({ api: `${method} ${operation.path}`, status: read.status, body: read.body ?? null });
    return answerOf(read, { name, url, idempotent });
  }

  async close(): Promise<void> {
    // Nothing is held between calls.
  }

  async #read(text: string, signal: AbortSignal): Promise<ToolListing> {
    const { approved, url, order, reader, tenantId, holds } = this.#parts;
    const { baseUrl, include, exclude } = order;
    const schemaBytes = approved?.openapi?.schemaBytes ?? null;
    const found = await reader.toolsOf({ text, url, baseUrl, include, exclude, schemaBytes }, { tenant: tenantId ?? forAll, signal });
    if (approved) return found;
    requireNamed(found.source, { named: baseUrl ?? url, holds });
    return found;
  }

  /** The text at the address; null where it is the one that was read before. */
  async #document(signal: AbortSignal): Promise<string | null> {
    const { url, fetch } = this.#parts;
    if (url === null) throw new UnusableDocument("Give the address of the document as 'url', or the document itself as 'document'");
    const accept = 'application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5';
    const response = await fetch(url, { headers: { accept, ...(this.#etag !== null && { 'if-none-match': this.#etag }) }, signal });
    if (response.status === 304) return null;
    if (!response.ok) {
      await response.body?.cancel();
      throw httpFailure(url, response.status, { retryAfter: response.headers.get('retry-after') });
    }
    const text = await response.text();
    this.#etag = response.headers.get('etag');
    return text;
  }
}

function listingOf({ tools }: Pick<OutsideServer, 'tools'>): ToolListing {
  return { tools: tools.map((tool) => outsideTool.parse(tool)), malformed: [] };
}

/** A document may name any server: what is secret goes only where the registration itself points. */
function requireNamed({ baseUrl }: OpenApiSource, { named, holds }: { readonly named: string | null; readonly holds: boolean }): void {
  if (!holds || (named !== null && new URL(named).origin === new URL(baseUrl).origin)) return;
  throw new UnusableDocument(
    `The document says that its service is at ${baseUrl.slice(0, 200)}, which the registration does not name: give it as 'base_url' if your headers, credentials and accounts are to go there`,
  );
}
