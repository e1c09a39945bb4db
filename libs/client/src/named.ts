import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';

/** What a tenant keeps under names at one route: its policies, its budgets and the like. */
export class Named<Row extends object, New, List extends object> {
  protected readonly requests: Requests;
  readonly #route: string;

  /** @param route such as `policies` */
  constructor(requests: Requests, route: string) {
    this.requests = requests;
    this.#route = route;
  }

  async list(options: RequestOptions = {}): Promise<List> {
    return this.requests.get<List>(this.#route, options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Row> {
    return this.requests.get<Row>(this.path(name), options);
  }

  /** Makes one, or puts it in the place of another. */
  async put(name: string, body: New, options: RequestOptions = {}): Promise<Row> {
    return this.requests.transport.json<Row>(this.path(name), { method: 'PUT', body, ...requestParts(options) });
  }

  async delete(name: string, options: RequestOptions = {}): Promise<Row> {
    return this.requests.transport.json<Row>(this.path(name), { method: 'DELETE', ...requestParts(options) });
  }

  protected path(name: string): string {
    return `${this.#route}/${encodeURIComponent(name)}`;
  }
}
