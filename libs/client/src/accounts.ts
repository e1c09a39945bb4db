import type {
  Connection,
  ConnectionAddress,
  ConnectionList,
  NewConnection,
  NewProvider,
  Provider,
  ProviderList,
  RemovedConnection,
} from './account-wire.js';
import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';

/** At whom users have accounts that tools act with. The key needs the scope `tenant:admin`. */
export class Providers {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(options: RequestOptions = {}): Promise<ProviderList> {
    return this.#requests.get<ProviderList>('providers', options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Provider> {
    return this.#requests.get<Provider>(pathOf('providers', name), options);
  }

  /** Sets one up, or puts it in the place of another. */
  async put(name: string, provider: NewProvider, options: RequestOptions = {}): Promise<Provider> {
    return this.#requests.transport.json<Provider>(pathOf('providers', name), { method: 'PUT', body: provider, ...requestParts(options) });
  }

  /** Deletes one with the accounts that are connected there. */
  async delete(name: string, options: RequestOptions = {}): Promise<Provider> {
    return this.#requests.transport.json<Provider>(pathOf('providers', name), { method: 'DELETE', ...requestParts(options) });
  }
}

/** Accounts of the caller at providers. */
export class Connections {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** @param provider of this one alone */
  async list({ scope, provider }: ConnectionsAsked = {}, options: RequestOptions = {}): Promise<ConnectionList> {
    const query = new URLSearchParams({ ...(scope && { scope }), ...(provider !== undefined && { provider }) }).toString();
    return this.#requests.get<ConnectionList>(query === '' ? 'connections' : `connections?${query}`, options);
  }

  /** Begins to connect an account: the browser of its user goes to the `url`. */
  async create(connection: NewConnection, options: RequestOptions = {}): Promise<ConnectionAddress> {
    return this.#requests.transport.json<ConnectionAddress>('connections', { method: 'POST', body: connection, ...requestParts(options) });
  }

  /** Deletes one, and has its tokens revoked at the provider. */
  async delete(id: Connection['id'], options: RequestOptions = {}): Promise<RemovedConnection> {
    return this.#requests.transport.json<RemovedConnection>(pathOf('connections', id), { method: 'DELETE', ...requestParts(options) });
  }
}

export interface ConnectionsAsked {
  /** `tenant`, with the scope `tenant:admin`: all of the tenant. */
  readonly scope?: 'mine' | 'tenant';
  readonly provider?: string;
}

function pathOf(place: string, name: string): string {
  return `${place}/${encodeURIComponent(name)}`;
}
