import { requestParts, type RequestOptions } from './call-request.js';
import { Named } from './named.js';
import type { NewPolicy, Policy, PolicyList, PolicyTest, PolicyVerdict } from './policy-wire.js';
import type { Requests } from './requests.js';

/** Rules of the tenant for the calls of its callers, looked at in the order of their names. The key needs the scope `tenant:admin`. */
export class Policies extends Named<Policy, NewPolicy, PolicyList> {
  constructor(requests: Requests) {
    super(requests, 'policies');
  }

  /** What they, or one that is given, say of a call that is not made. */
  async test(call: PolicyTest, options: RequestOptions = {}): Promise<PolicyVerdict> {
    return this.requests.transport.json<PolicyVerdict>('policies/test', { method: 'POST', body: call, ...requestParts(options) });
  }
}
