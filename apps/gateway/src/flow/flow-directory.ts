import { servedDomainName, type ToolContract } from '#lib/contracts';
import type { NumberedBounds } from '#lib/transport';
import { callKey, type LookedCall } from '../rules/call-conditions.js';
import { ExpressionError, type Key } from '../rules/expression.js';
import { TenantDirectory } from '../rules/tenant-directory.js';
import type { FlowRow } from './flow-store.js';
import { operator } from './pause-store.js';

/** A flow that is looked at. */
export class ReadyFlow {
  readonly row: FlowRow;
  /** Its name in Redis. */
  readonly id: string;
  /** Null where all its calls are in one line. */
  readonly key: Key<LookedCall> | null;

  constructor(row: FlowRow, id: string) {
    this.row = row;
    this.id = id;
    this.key = row.key === null ? null : keyOf(row.key);
  }

  get name(): string {
    return this.row.name;
  }

  get expression(): string | null {
    return this.row.key;
  }

  get bounds(): NumberedBounds {
    const { concurrency, rateMax: max, ratePerMs: perMs, revision } = this.row;
    return { number: Number(revision), concurrency, rate: max === null || perMs === null ? null : { max, perMs } };
  }

  /** Whether calls of a tool pass it. @param tenant whose calls: one that the flow is about */
  has({ name, domain }: Pick<ToolContract, 'name' | 'domain'>, tenant: string): boolean {
    const { tool, domain: own } = this.row;
    if (tool !== null && tool !== name) return false;
    return own === null || own === domain || servedDomainName({ tenant, domain: own }) === domain;
  }
}

/** One that this version cannot read gives every call the same line: a bound that is not kept would be none. */
function keyOf(text: string): Key<LookedCall> {
  try {
    return callKey(text);
  } catch (error) {
    if (error instanceof ExpressionError) return { of: () => null };
    throw error;
  }
}

/** The flows of all tenants and of the operator, by name. */
export class FlowDirectory extends TenantDirectory<FlowRow, ReadyFlow> {
  /** Those that calls of a tenant may have to pass. Throws NETWORK_ERROR. */
  met(tenantId: string): readonly ReadyFlow[] {
    const [own, all] = [this.of(tenantId), this.of(operator)];
    return own.length === 0 ? all : [...own, ...all];
  }

  /** All of them. */
  get all(): readonly ReadyFlow[] {
    return this.tenants.flatMap((tenant) => this.of(tenant));
  }
}
