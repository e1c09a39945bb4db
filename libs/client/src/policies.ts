import { requestParts, type RequestOptions } from './call-request.js';
import type { NewPolicy, Policy, PolicyList, PolicyTest, PolicyVerdict } from './policy-wire.js';
import type { Requests } from './requests.js';

/** Rules of the tenant for the calls of its callers, looked at in the order of their names. The key needs the scope `tenant:admin`. */
export class Policies {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(options: RequestOptions = {}): Promise<PolicyList> {
    return this.#requests.get<PolicyList>('policies', options);
  }

  async get(name: string, options: RequestOptions = {}): Promise<Policy> {
    return this.#requests.get<Policy>(pathOf(name), options);
  }

  /** Makes one, or puts it in the place of another. */
  async put(name: string, policy: NewPolicy, options: RequestOptions = {}): Promise<Policy> {
    return this.#requests.transport.json<Policy>(pathOf(name), { method: 'PUT', body: policy, ...requestParts(options) });
  }

  async delete(name: string, options: RequestOptions = {}): Promise<Policy> {
    return this.#requests.transport.json<Policy>(pathOf(name), { method: 'DELETE', ...requestParts(options) });
  }

  /** What they, or one that is given, say of a call that is not made. */
  async test(call: PolicyTest, options: RequestOptions = {}): Promise<PolicyVerdict> {
    return this.#requests.transport.json<PolicyVerdict>('policies/test', { method: 'POST', body: call, ...requestParts(options) });
  }
}

function pathOf(name: string): string {
  return `policies/${encodeURIComponent(name)}`;
}
