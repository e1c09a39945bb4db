import type { SecurityCase } from '../case.js';
import { objectCases } from './api1-objects.js';
import { inputCases } from './api1-inputs.js';
import { accountCases } from './api1-accounts.js';
import { costCases } from './api1-costs.js';
import { batchCases } from './api1-batches.js';
import { hookCases } from './api1-hooks.js';
import { scheduleCases } from './api1-schedules.js';
import { webhookCases } from './api1-webhooks.js';
import { tenantCases } from './api1-tenants.js';
import { fileCases } from './api1-files.js';
import { workerCases } from './api1-workers.js';
import { documentCases } from './api10-documents.js';
import { upstreamCases } from './api10-upstreams.js';
import { consoleCases } from './api2-console.js';
import { credentialCases } from './api2-credentials.js';
import { edgeCases } from './api2-edge.js';
import { tokenCases } from './api2-tokens.js';
import { propertyCases } from './api3-properties.js';
import { allowanceCases } from './api4-allowances.js';
import { consumptionCases } from './api4-consumption.js';
import { servingCostCases } from './api4-serving.js';
import { deliveryCases } from './delivery.js';
import { functionCases } from './api5-functions.js';
import { servingCases } from './api5-serving.js';
import { budgetCases } from './api4-budgets.js';
import { reportedCostCases } from './api4-costs.js';
import { toolsetCases } from './api5-toolsets.js';
import { lineCases } from './api4-flows.js';
import { pauseCases } from './api4-pauses.js';
import { policyCases } from './api5-policies.js';
import { rightCases } from './api5-rights.js';
import { flowCases } from './api6-flows.js';
import { ssrfCases } from './api7-ssrf.js';
import { webhookAddressCases } from './api7-webhooks.js';
import { configurationCases } from './api8-configuration.js';
import { inventoryCases } from './api9-inventory.js';
import { knowledgeCases } from './llm-knowledge.js';
import { modelCases } from './llm.js';
import { codeCases } from './llm06-code.js';
import { secretCases } from './llm02-secrets.js';
import { mcpCases } from './mcp.js';
import { mcpOfferCases } from './mcp-offers.js';
import { addressCases } from './mcp-addresses.js';
import { commandCases } from './mcp-commands.js';
import { subscriptionCases } from './mcp-subscriptions.js';
import { storeCases } from './stores.js';

/** Every case but those of the routes, which are made from the route table of the running system. */
export const fixedCases: readonly SecurityCase[] = [
  ...objectCases,
  ...tenantCases,
  ...scheduleCases,
  ...batchCases,
  ...costCases,
  ...webhookCases,
  ...inputCases,
  ...hookCases,
  ...fileCases,
  ...workerCases,
  ...credentialCases,
  ...consoleCases,
  ...tokenCases,
  ...edgeCases,
  ...propertyCases,
  ...allowanceCases,
  ...consumptionCases,
  ...servingCostCases,
  ...budgetCases,
  ...reportedCostCases,
  ...toolsetCases,
  ...lineCases,
  ...pauseCases,
  ...functionCases,
  ...servingCases,
  ...rightCases,
  ...policyCases,
  ...accountCases,
  ...flowCases,
  ...ssrfCases,
  ...webhookAddressCases,
  ...configurationCases,
  ...inventoryCases,
  ...upstreamCases,
  ...documentCases,
  ...modelCases,
  ...codeCases,
  ...knowledgeCases,
  ...secretCases,
  ...storeCases,
  ...deliveryCases,
  ...mcpCases,
  ...mcpOfferCases,
  ...addressCases,
  ...commandCases,
  ...subscriptionCases,
];
