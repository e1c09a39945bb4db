// Announces as workers do, without a worker. For tests.
import type { TestHttpGateway } from '../test-http-gateway.js';
import { Stores } from '../stores.js';
import { AnnouncementBudget } from './announcement-budget.js';
import { Announcements } from './announcements.js';
import type { ContractChecks } from './contract-checks.js';
import type { ServedBounds } from './served-bounds.js';
import { fingerprintOf } from './served-row.js';
import { ServedTools } from './served-tools.js';

const defaultBounds: ServedBounds = { maxBytes: 1_048_576, maxDomains: 10 };

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

interface Serving {
  readonly tools: ServedTools;
  readonly announcements: Announcements;
}

/** Tools in the stores of a gateway, with settings of their own. */
export function servingWith(gateway: TestHttpGateway, { bounds = defaultBounds, ...parts }: Parts = {}): Serving {
  const { database, catalog, contractChecks: checks } = gateway.app.get(Stores);
  const all = { database, catalog, checks, budget: new AnnouncementBudget(), now: Date.now, bounds, isDevelopment: false, ...parts };
  return { tools: new ServedTools(database, bounds, Date.now), announcements: new Announcements(all) };
}

interface As {
  readonly approves?: boolean;
  readonly domain?: string;
  readonly keyId?: string;
}

/** Announces for a tenant of its own, so that tests do not meet. */
export function announcer(gateway: TestHttpGateway, { tools, announcements } = servingWith(gateway)) {
  const tenant = `${gateway.tenant.id}-${crypto.randomUUID()}`;
  const announceAll = async (all: readonly object[], { approves = false, domain = 'sales', keyId = 'k' }: As = {}) =>
    announcements.announce({ place: { tenant, domain }, keyId, approves }, all);
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
