/**
 * Client of the gateway for Node and browsers, typed by what `invoq types` writes from a gateway.
 *
 * ```ts
 * const invoq = new Invoq<Tools>({ url: 'http://127.0.0.1:3000', key: process.env.INVOQ_API_KEY });
 * const { data } = await invoq.call('get_weather', { location: 'Beijing' });
 * const report = await invoq.call('generate_report', { title, content }, { onProgress: ({ progress, message }) => … });
 * ```
 *
 * An error of a tool or of the gateway is thrown as `InvoqError`, with the code, whether a retry may help, and the trace id.
 */
export type { Batches } from './batches.js';
export type { Batch, BatchLine, BatchPage, NewBatchCall, ReplaySelection, StartedBatch } from './batch-wire.js';
export { Invoq } from './invoq.js';
export type { InvoqOptions } from './requests.js';
export type { CallOptions, GatewayOptions, RequestOptions, ToolResult } from './call-request.js';
export { Transport, type TransportOptions } from './transport.js';
export type { InputRequests } from './input-requests.js';
export type { InputDecision, InputKind, InputRequest, InputRequestPage, InputState } from './input-wire.js';
export type { Budgets } from './budgets.js';
export type { Flows } from './flows.js';
export type { Flow, FlowList, NewFlow, WaitingLine, WaitingLineFilters, WaitingLineList } from './flow-wire.js';
export type { Pauses } from './pauses.js';
export type { NewPause, Pause, PauseList } from './pause-wire.js';
export type { Budget, BudgetList, NewBudget } from './budget-wire.js';
export type { Toolsets } from './toolsets.js';
export type { NewToolset, Toolset, ToolsetForm, ToolsetList, ToolsetPreview, ToolsetProblem } from './toolset-wire.js';
export type { Connections, ConnectionsAsked, Providers } from './accounts.js';
export type {
  Connection,
  ConnectionAddress,
  ConnectionList,
  NewConnection,
  NewProvider,
  Provider,
  ProviderList,
  RemovedConnection,
} from './account-wire.js';
export type { OutsideServers } from './outside-servers.js';
export type { NewOutsideServer, OutsideQuery, OutsideServer, OutsideServerTool } from './outside-wire.js';
export type { Policies } from './policies.js';
export type { NewPolicy, Policy, PolicyList, PolicyTest, PolicyVerdict } from './policy-wire.js';
export type { Schedules } from './schedules.js';
export type { Webhooks } from './webhooks.js';
export type {
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEventType,
  WebhookWithSecret,
} from './webhook-wire.js';
export type { ErrorCause, ErrorKind, ErrorSample, ErrorsFilter, ErrorsPage } from './error-wire.js';
export type { NewSchedule, Schedule, ScheduleChange, SchedulePage, ScheduleRun, ScheduleRunPage, StartedRun } from './schedule-wire.js';
export { InvoqError } from './invoq-error.js';
export { toolEvents } from './event-forms.js';
export type { EventForm } from './event-stream.js';
export { readServerSentEvents, type ServerSentEvent, type ServerSentEventListener } from './server-sent-events.js';
export type { InputOf, OutputOf, ToolName, ToolTypes } from './typed.js';
export type { AgentEvent, BatchCall, BatchResult, Job, Progress, RestingCall, StartedCall, StreamEvent } from './call-wire.js';
export type { ApiKey, NewApiKey } from './key-wire.js';
export type {
  AuditEvent,
  AuditFilter,
  AuditPage,
  CallSum,
  CallSums,
  CallSumsFilter,
  HistoryFilter,
  HistoryPage,
  PastCall,
} from './history-wire.js';
export type { ServedToolRow, ToolList, ToolsFilter } from './tool-wire.js';
export type { Trace } from './trace-wire.js';
export type { Envelope, EnvelopeError, EnvelopeMetadata, JsonSchema, ToolDefinition } from '#lib/contracts';
