import { Injectable } from '@nestjs/common';
import { policyCondition, seesSpent, type PoliciedCall } from './call-conditions.js';
import { ExpressionError, type Condition } from '../tenants/expression.js';
import { Stores } from '../stores.js';
import { PolicyStore, type PolicyRow } from './policy-store.js';
import { TenantDirectory } from '../tenants/tenant-directory.js';

/** A policy, ready to be looked at. */
export interface ReadyPolicy {
  readonly row: PolicyRow;
  readonly condition: Condition<PoliciedCall>;
  readonly seesSpent: boolean;
}

/** The policies of all tenants, in the order in which they are looked at. */
@Injectable()
export class PolicyDirectory extends TenantDirectory<PolicyRow, ReadyPolicy> {
  constructor(stores: Stores, store: PolicyStore) {
    super(stores, { store, notice: 'policy', what: 'policies', event: 'policies-fault', ready: readyPolicy });
  }
}

/** One that this version cannot read cannot be worked out for any call. */
export function readyPolicy(row: PolicyRow): ReadyPolicy {
  try {
    return { row, condition: policyCondition(row.when), seesSpent: seesSpent(row.when) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const fail = (): never => {
      throw error;
    };
    return { row, condition: { holds: fail, explain: () => [] }, seesSpent: false };
  }
}
