// Announces as workers do, without a worker. For tests.
import type { TestHttpGateway } from '../test-http-gateway.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { AnnouncementBudget } from './announcement-budget.js';
import type { ContractChecks } from './contract-checks.js';
import type { ServedBounds } from './served-bounds.js';
import { fingerprintOf, ServedTools } from './served-tools.js';

/** A contract as it is sent. */
export const announced = (more: object = {}) => ({
  name: 'make_quote',
  version: '1.0.0',
  title: 'Quote',
  description: 'Price one order of a customer in euros, with its tax.',
  input: {
    type: 'object',
    properties: { units: { type: 'integer', description: 'How many.' } },
    required: ['units'],
    additionalProperties: false,
  },
  output: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false },
  effect: 'read',
  timeout_ms: 5_000,
  examples: [{ input: { units: 2 }, output: { total: 23.8 } }],
  ...more,
});

interface Parts {
  readonly isDevelopment?: boolean;
  readonly bounds?: ServedBounds;
  readonly checks?: Pick<ContractChecks, 'inTurn'>;
  readonly budget?: AnnouncementBudget;
}

/** Tools in the stores of a gateway, with settings of their own. */
export function toolsWith(gateway: TestHttpGateway, parts: Parts = {}): ServedTools {
  const { database, catalog, contractChecks: checks } = gateway.app.get(Infrastructure);
  const bounds = { maxBytes: 1_048_576, maxDomains: 10 };
  return new ServedTools({ database, catalog, checks, budget: new AnnouncementBudget(), bounds, isDevelopment: false, ...parts });
}

interface As {
  readonly approves?: boolean;
  readonly domain?: string;
  readonly keyId?: string;
}

/** Announces for a tenant of its own, so that tests do not meet. */
export function announcer(gateway: TestHttpGateway, tools = toolsWith(gateway)) {
  const tenant = `${gateway.tenant.id}-${crypto.randomUUID()}`;
  const announceAll = async (all: readonly object[], { approves = false, domain = 'sales', keyId = 'k' }: As = {}) =>
    tools.announce({ place: { tenant, domain }, keyId, approves }, all);
  return {
    tenant,
    tools,
    announceAll,
    announce: async (tool: object, as?: As) => (await announceAll([tool], as))[0],
    row: async (version = '1.0.0', name = 'make_quote') =>
      (await tools.all(tenant)).find((one) => one.version === version && one.name === name),
    approve: async (version = '1.0.0', name = 'make_quote') => {
      const row = (await tools.all(tenant)).find((one) => one.version === version && one.name === name);
      const fingerprint = row ? fingerprintOf(row) : '';
      return tools.approve({ tenantId: tenant, name, version, fingerprint }, 'person');
    },
    remove: async (version = '1.0.0', name = 'make_quote') => tools.remove({ tenantId: tenant, name, version }, 'person'),
  };
}
