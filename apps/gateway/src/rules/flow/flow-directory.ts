import { Injectable } from '@nestjs/common';
import { servedDomainName, type ContractFlow, type ToolContract } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import type { NumberedBounds } from '#lib/transport';
import { callKey, type LookedCall } from '../call-conditions.js';
import { ExpressionError, type Key } from '../../tenants/expression.js';
import { TenantDirectory } from '../../tenants/tenant-directory.js';
import { Stores } from '../../stores.js';
import { FlowStore, type FlowRow } from './flow-store.js';
import { operator } from './pause-store.js';

/** A flow that calls pass. */
export interface PassedFlow {
  /** Its name in Redis. */
  readonly id: string;
  readonly name: string;
  /** As it was given; null where all its calls are in one line, and so is `key`. */
  readonly expression: string | null;
  readonly key: Key<LookedCall> | null;
  readonly bounds: NumberedBounds;
}

/** A flow that is looked at. */
export class ReadyFlow implements PassedFlow {
  readonly row: FlowRow;
  readonly id: string;
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

/** Of contracts that are kept parsed: those of the product's tools and of busy tenants. */
const keptKeys = 1_000;
const keys = new RecentMap<string, Key<LookedCall>>(keptKeys);

/** The flow that a contract brings. Its bounds go with each call: those of the last one hold. @param id its name in Redis */
export function flowOfContract({ name }: Pick<ToolContract, 'name'>, flow: ContractFlow, id: string): PassedFlow {
  const { key: expression = null, concurrency = null, rate } = flow;
  const known = expression === null ? null : (keys.get(expression) ?? keyOf(expression));
  if (expression !== null && known) keys.set(expression, known);
  return {
    id,
    name,
    expression,
    key: known,
    bounds: { number: 0, concurrency, rate: rate ? { max: rate.max, perMs: rate.per_ms } : null },
  };
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
@Injectable()
export class FlowDirectory extends TenantDirectory<FlowRow, ReadyFlow> {
  constructor(stores: Stores, store: FlowStore) {
    super(stores, {
      store,
      notice: 'flow',
      what: 'flows',
      event: 'flows-fault',
      ready: (row) => new ReadyFlow(row, stores.keys.flow(row.tenantId, row.name)),
    });
  }

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
