import { requestParts, type RequestOptions } from './call-request.js';
import type { NewOutsideServer, OutsideServer } from './outside-wire.js';
import type { Requests } from './requests.js';

/** Servers whose tools the tenant uses: of MCP, of REST, services with an OpenAPI document, and databases. The key needs the scope `tenant:admin`. */
export class OutsideServers {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(options: RequestOptions = {}): Promise<readonly OutsideServer[]> {
    return (await this.#requests.get<{ readonly servers: readonly OutsideServer[] }>('mcp/servers', options)).servers;
  }

  async get(name: string, options: RequestOptions = {}): Promise<OutsideServer> {
    return this.#requests.get<OutsideServer>(pathOf(name), options);
  }

  /** Registers one, or approves what it has now. */
  async register(server: NewOutsideServer, options: RequestOptions = {}): Promise<OutsideServer> {
    return this.#requests.transport.json<OutsideServer>('mcp/servers', { method: 'POST', body: server, ...requestParts(options) });
  }

  async remove(name: string, options: RequestOptions = {}): Promise<OutsideServer> {
    return this.#requests.transport.json<OutsideServer>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }
}

function pathOf(name: string): string {
  return `mcp/servers/${encodeURIComponent(name)}`;
}
