// Every command that users run, in the order of the help.
import type { Command } from './command.js';

export interface CommandEntry {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  /** Loads the command when it is run: the parsers of an import would hold up every other command. */
  readonly load: () => Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  { name: 'init', summary: 'Write a project for tools of your own', load: async () => (await import('./project/init.js')).init },
  { name: 'dev', summary: 'Start the product on this machine, until Ctrl-C', load: async () => (await import('./product.js')).dev },
  { name: 'stop', summary: 'Stop it from another terminal', load: async () => (await import('./product.js')).stop },
  { name: 'test', summary: 'Run the tests of your own tools', load: async () => (await import('./project/run-tests.js')).runTests },
  { name: 'tools', summary: 'List the tools', load: async () => (await import('./tools.js')).tools },
  { name: 'call', summary: 'Call a tool; its parameters are options', load: async () => (await import('./call/call.js')).call },
  {
    name: 'types',
    summary: 'Write TypeScript types of the tools, for the client',
    load: async () => (await import('./types/types.js')).types,
  },
  { name: 'jobs list', summary: 'List your calls, the newest first', load: async () => (await import('./jobs.js')).listJobs },
  { name: 'jobs show', summary: 'Show one call and its result', load: async () => (await import('./jobs.js')).showJob },
  { name: 'jobs follow', summary: 'Follow a call to its end', load: async () => (await import('./jobs.js')).followJob },
  { name: 'jobs cancel', summary: 'Cancel a call, or many', load: async () => (await import('./jobs.js')).cancelJob },
  {
    name: 'batch',
    summary: 'Make the calls of a file, and write their results',
    load: async () => (await import('./batch/batch.js')).batch,
  },
  {
    name: 'batches list',
    summary: 'List your batches, the newest first',
    load: async () => (await import('./batch/batches.js')).listBatches,
  },
  {
    name: 'batches cancel',
    summary: 'Cancel what of a batch has not ended',
    load: async () => (await import('./batch/batches.js')).cancelBatch,
  },
  { name: 'batches replay', summary: 'Try failed calls again', load: async () => (await import('./batch/batches.js')).replayCalls },
  {
    name: 'schedules list',
    summary: 'List calls that are made again and again',
    load: async () => (await import('./schedules.js')).listSchedules,
  },
  {
    name: 'schedules create',
    summary: 'Have a tool called again and again',
    load: async () => (await import('./schedules.js')).createSchedule,
  },
  { name: 'schedules run', summary: 'Make the call of a schedule now', load: async () => (await import('./schedules.js')).runSchedule },
  {
    name: 'schedules runs',
    summary: 'Show what became of its moments',
    load: async () => (await import('./schedules.js')).listScheduleRuns,
  },
  { name: 'schedules pause', summary: 'Pause a schedule', load: async () => (await import('./schedules.js')).pauseSchedule },
  { name: 'schedules resume', summary: 'Go on with a schedule', load: async () => (await import('./schedules.js')).resumeSchedule },
  { name: 'schedules delete', summary: 'Delete a schedule', load: async () => (await import('./schedules.js')).deleteSchedule },
  { name: 'budgets list', summary: "List your tenant's budgets", load: async () => (await import('./budgets.js')).listBudgets },
  { name: 'budgets put', summary: 'Make or change a budget', load: async () => (await import('./budgets.js')).putBudget },
  { name: 'budgets delete', summary: 'Delete a budget', load: async () => (await import('./budgets.js')).deleteBudget },
  {
    name: 'server-json',
    summary: 'Write an entry for the registry of MCP',
    load: async () => (await import('./server-json.js')).serverJson,
  },
  { name: 'toolsets list', summary: "List your tenant's sets of tools", load: async () => (await import('./toolsets.js')).listToolsets },
  { name: 'toolsets put', summary: 'Make or change a set of tools', load: async () => (await import('./toolsets.js')).putToolset },
  { name: 'toolsets preview', summary: 'Show what agents see of one', load: async () => (await import('./toolsets.js')).previewToolset },
  { name: 'toolsets delete', summary: 'Delete a set of tools', load: async () => (await import('./toolsets.js')).deleteToolset },
  { name: 'flows list', summary: 'List how calls wait for each other', load: async () => (await import('./flows.js')).listFlows },
  { name: 'flows put', summary: 'Let so many calls of a key run at a time', load: async () => (await import('./flows.js')).putFlow },
  { name: 'flows delete', summary: 'Delete a flow', load: async () => (await import('./flows.js')).deleteFlow },
  { name: 'pauses', summary: 'List what is paused', load: async () => (await import('./pauses.js')).listPauses },
  { name: 'pause', summary: 'Let calls of a tool wait', load: async () => (await import('./pauses.js')).pauseTool },
  { name: 'unpause', summary: 'Let them go on', load: async () => (await import('./pauses.js')).unpause },
  { name: 'providers list', summary: 'List providers of accounts', load: async () => (await import('./accounts.js')).listProviders },
  { name: 'providers put', summary: 'Set up a provider of accounts', load: async () => (await import('./accounts.js')).putProvider },
  { name: 'providers delete', summary: 'Delete a provider of accounts', load: async () => (await import('./accounts.js')).deleteProvider },
  { name: 'connections list', summary: 'List connected accounts', load: async () => (await import('./accounts.js')).listConnections },
  { name: 'connections create', summary: 'Connect an account', load: async () => (await import('./accounts.js')).createConnection },
  { name: 'connections delete', summary: 'Delete an account', load: async () => (await import('./accounts.js')).deleteConnection },
  { name: 'policies list', summary: "List your tenant's policies", load: async () => (await import('./policies.js')).listPolicies },
  { name: 'policies put', summary: 'Make or change a policy', load: async () => (await import('./policies.js')).putPolicy },
  { name: 'policies test', summary: 'Try policies on a call', load: async () => (await import('./policies.js')).testPolicies },
  { name: 'policies delete', summary: 'Delete a policy', load: async () => (await import('./policies.js')).deletePolicy },
  {
    name: 'webhooks list',
    summary: 'List the addresses that are told of calls',
    load: async () => (await import('./webhooks.js')).listWebhooks,
  },
  { name: 'webhooks create', summary: 'Have an address told of calls', load: async () => (await import('./webhooks.js')).createWebhook },
  { name: 'webhooks rotate', summary: 'Give a webhook another secret', load: async () => (await import('./webhooks.js')).rotateWebhook },
  { name: 'webhooks test', summary: 'Send a test to a webhook', load: async () => (await import('./webhooks.js')).testWebhook },
  {
    name: 'webhooks deliveries',
    summary: 'List what a webhook was sent',
    load: async () => (await import('./webhooks.js')).listDeliveries,
  },
  { name: 'webhooks retry', summary: 'Send a delivery again', load: async () => (await import('./webhooks.js')).retryDelivery },
  { name: 'webhooks delete', summary: 'Delete a webhook', load: async () => (await import('./webhooks.js')).deleteWebhook },
  { name: 'inputs list', summary: 'List calls that wait for a person', load: async () => (await import('./inputs.js')).listInputs },
  { name: 'inputs show', summary: 'Show what is asked about one', load: async () => (await import('./inputs.js')).showInput },
  { name: 'inputs accept', summary: 'Let a call run', load: async () => (await import('./inputs.js')).acceptInput },
  { name: 'inputs decline', summary: 'Refuse a call', load: async () => (await import('./inputs.js')).declineInput },
  {
    name: 'openapi add',
    summary: 'Make tools of an OpenAPI document',
    load: async () => (await import('./openapi.js')).addOpenApi,
  },
  { name: 'trace', summary: 'Show the spans of a call', load: async () => (await import('./trace.js')).trace },
  { name: 'usage', summary: 'Sum calls by day, tenant, user and tool', load: async () => (await import('./past/usage.js')).usage },
  { name: 'history', summary: 'List ended calls, of months', load: async () => (await import('./past/history.js')).history },
  { name: 'errors', summary: 'Count errors by kind, with samples', load: async () => (await import('./past/errors.js')).errors },
  { name: 'audit', summary: 'List changes of keys, approvals and servers', load: async () => (await import('./past/audit.js')).audit },
  {
    name: 'import knowledge',
    summary: 'Import documents into a collection',
    load: async () => (await import('./knowledge/import-knowledge.js')).importKnowledge,
  },
  {
    name: 'import profiles',
    summary: 'Import health profiles from NDJSON or CSV, all or none',
    load: async () => (await import('./profiles/import-profiles.js')).importProfiles,
  },
  {
    name: 'import memotree',
    summary: 'Import a folder of Markdown, or an Obsidian vault, into a MemoTree',
    load: async () => (await import('./memotree/import-memotree.js')).importMemotree,
  },
  {
    name: 'export memotree',
    summary: 'Export a MemoTree as Markdown files, which can be imported again',
    load: async () => (await import('./memotree/export-memotree.js')).exportMemotree,
  },
  { name: 'keys list', summary: 'List the API keys', load: async () => (await import('./keys.js')).listKeys },
  { name: 'keys create', summary: 'Create an API key and print it once', load: async () => (await import('./keys.js')).createKey },
  { name: 'keys revoke', summary: 'Revoke an API key', load: async () => (await import('./keys.js')).revokeKey },
  {
    name: 'approvals',
    summary: 'List tools of tenants that wait for an approval',
    load: async () => (await import('./approvals/approvals.js')).listApprovals,
  },
  {
    name: 'approve',
    summary: 'Show what a version of a tool changes, and approve it',
    load: async () => (await import('./approvals/approvals.js')).approve,
  },
  {
    name: 'deploy-check',
    summary: 'Check the settings and the stores of a deployment',
    load: async () => (await import('./product.js')).deployCheck,
  },
  {
    name: 'eval knowledge',
    summary: 'Score the search with labelled questions',
    load: async () => (await import('./evaluation.js')).evaluationOf('knowledge'),
  },
  {
    name: 'eval agent',
    summary: 'Hold scripted conversations with the agent and score them',
    load: async () => (await import('./evaluation.js')).evaluationOf('agent'),
  },
];
