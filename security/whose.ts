// Whose everything is that the product stores, by what it is told apart, and the cases that ask for it as somebody else. A test compares this
// with the schema and with the names in Redis, so what is new has to be entered here.

export interface Stored {
  /** A user's (or a key's, where it speaks for no user), a whole tenant's, the operator's, or nobody's: the same for everybody. */
  readonly of: 'user' | 'tenant' | 'operator' | 'nobody';
  /** The column, or the parameter of the name, that says whose; else the model or the name that it is a part of. */
  readonly by: string;
  /** Parts of the names of cases that ask for it as another; for what is not a caller's: why nobody is asked. */
  readonly asked: string | readonly string[];
}

const jobs = [
  'A job of another user does not exist',
  'A foreign job and one that never was',
  'GET /jobs/{id} with things of another tenant',
];
const memory = [
  'A memory of another tenant or user',
  'A memory is searched by its tenant',
  'POST /memotree/{tool} with things of another tenant',
];
const documents = [
  'A document of one tenant is found by no other',
  'A collection of documents of one tenant',
  'A search by meaning crosses no border',
];
const conversations = ['A conversation of another user does not exist', 'GET /chat/v5/conversations/{id} with things of another tenant'];
const pastCalls = ['The audit, history, sums and errors of one tenant', 'GET /history by the administrator of another tenant'];
const outside = ['A tool of an outside server of one tenant', 'An outside server of one tenant is neither listed'];
const ownTools = ['A tool that workers of one tenant serve is neither listed', 'An attempt of a worker is answered by no other key'];
const schedules = ['A schedule of another user or tenant does not exist', 'GET /schedules/{name} with things of another tenant'];
const batches = ['A batch of another user or tenant does not exist', 'GET /batches/{id} with things of another tenant'];
const inputs = ['An input request of another user or tenant does not exist', 'GET /input-requests/{id} with things of another tenant'];
const budgets = ['A budget of one tenant is felt by no other', 'GET /budgets/{name} by the administrator of another tenant'];
const toolsets = ['A set of tools of one tenant is none for another', 'GET /toolsets/{name} by the administrator of another tenant'];
const flows = ['A flow of one tenant is felt by no other', 'GET /flows/{name} by the administrator of another tenant'];
const pauses = ['A pause of one tenant is felt by no other', 'GET /pauses/{name} by the administrator of another tenant'];
const policies = ['A policy of one tenant is felt by no other', 'GET /policies/{name} by the administrator of another tenant'];
const accounts = ['An account of another user or tenant does not exist', 'DELETE /connections/{id} with things of another tenant'];
const webhooks = ['A webhook of another tenant does not exist', 'GET /webhooks/{id} with things of another tenant'];
const counted = ['What one tenant does is counted for no other', 'GET /usage by the administrator of another tenant'];
const runs = [
  'A list shows the own things alone',
  'The audit, history, sums and errors of one tenant',
  'GET /jobs/feed with things of another tenant',
];

const of = (who: Stored['of'], by: string, asked: Stored['asked']): Stored => ({ of: who, by, asked });

/** The models of prisma/schema. */
export const tables: Readonly<Record<string, Stored>> = {
  ApiKey: of('tenant', 'tenantId', ['Keys of one tenant are neither listed', 'GET /keys/{id} by the administrator of another tenant']),
  User: of('user', 'tenantId', ['Tenant and user come from the credential']),
  AuditEvent: of('tenant', 'tenantId', pastCalls),
  CallHistory: of('user', 'tenantId', pastCalls),
  CallErrors: of('tenant', 'tenantId', [
    'The audit, history, sums and errors of one tenant',
    'GET /errors by the administrator of another tenant',
  ]),
  KeptErrorHour: of('nobody', 'namespace', 'Says which hours are counted, and nothing else.'),
  CallUsage: of('user', 'tenantId', [...pastCalls, ...counted, 'What a conversation costs is told to its owner']),
  MovedCall: of('user', 'tenantId', jobs),
  Conversation: of('user', 'owner', conversations),
  ChatTurn: of('user', 'Conversation', conversations),
  SkillData: of('user', 'userId', conversations),
  File: of('user', 'tenantId', ['A file opens by its signed link alone']),
  KnowledgeCollection: of('tenant', 'tenantId', documents),
  KnowledgeDocument: of('tenant', 'KnowledgeCollection', documents),
  KnowledgeSection: of('tenant', 'KnowledgeDocument', documents),
  MemotreeWorkspace: of('tenant', 'tenantId', memory),
  MemotreeLayer: of('tenant', 'workspaceId', memory),
  MemotreeSession: of('user', 'principal', memory),
  MemotreeVersion: of('tenant', 'layerId', memory),
  MemotreeText: of('tenant', 'workspaceId', memory),
  MemotreeSummary: of('tenant', 'workspaceId', memory),
  MemotreeCommit: of('tenant', 'workspaceId', memory),
  MemotreeTag: of('tenant', 'workspaceId', memory),
  MemotreeViewState: of('user', 'sessionId', memory),
  MemotreeEffect: of('user', 'key', 'Found by the id of the invocation, which no caller gives.'),
  McpServer: of('tenant', 'tenantId', outside),
  ServedTool: of('tenant', 'tenantId', ownTools),
  ServedRemoval: of('tenant', 'tenantId', ownTools),
  Schedule: of('user', 'owner', schedules),
  ScheduleRun: of('user', 'Schedule', schedules),
  Batch: of('user', 'owner', batches),
  FailedCall: of('user', 'caller', ['Failed calls of another are neither counted nor tried again']),
  BatchLine: of('user', 'Batch', batches),
  InputRequest: of('tenant', 'tenantId', inputs),
  Budget: of('tenant', 'tenantId', budgets),
  Toolset: of('tenant', 'tenantId', toolsets),
  Flow: of('tenant', 'owner', flows),
  Pause: of('tenant', 'owner', pauses),
  Policy: of('tenant', 'tenantId', policies),
  Provider: of('tenant', 'tenantId', ['GET /providers/{name} by the administrator of another tenant', ...accounts]),
  Connection: of('user', 'owner', accounts),
  ConnectionAttempt: of('user', 'owner', ['What one user has begun is finished in no other browser']),
  Webhook: of('tenant', 'tenantId', webhooks),
  WebhookDelivery: of('tenant', 'tenantId', webhooks),
  Profile: of('user', 'tenantId', ["Another user's profile is refused before", 'The same call of two tenants']),
  RetrievalSpace: of('tenant', 'name', [...documents, ...memory]),
  RetrievalTerm: of('tenant', 'RetrievalSpace', documents),
  RetrievalUnit: of('tenant', 'RetrievalSpace', documents),
  RetrievalPosting: of('tenant', 'termId', documents),
  RetrievalModel: of('nobody', 'name', 'The name of a provider and a model, and nothing of a text.'),
  Merchant: of('user', 'tenantId', ['A Stripe account of another merchant', 'A merchant row is given by no foreign merchant']),
  MerchantSession: of('user', 'tenantId', ['A merchant row is given by no foreign merchant']),
  ReturnOrigin: of('tenant', 'tenantId', ['A tenant without an allow-list is sent nowhere']),
};

const inside = 'Never shown to a caller: processes tell each other what to do.';
const counts = 'A number of the operator: no caller sees whose calls it counts.';

/** The names of RedisKeys. */
export const redisNames: Readonly<Record<string, Stored>> = {
  invocation: of('user', 'jobId', jobs),
  slot: of('operator', 'partition', inside),
  events: of('user', 'jobId', ['Events of a job of another user do not exist', 'GET /jobs/{id}/events with things of another tenant']),
  sealed: of('user', 'jobId', ['A link is opened by nobody but its caller']),
  steps: of('user', 'jobId', jobs),
  secondLook: of('user', 'jobId', jobs),
  job: of('user', 'jobId', ['The board is for administrators']),
  queue: of('operator', 'partition', ['The board is for administrators']),
  queuePrefix: of('operator', 'partition', ['The board is for administrators']),
  callerJobs: of('user', 'principal', ['A list shows the own things alone', 'A cursor of another caller is refused']),
  callerResting: of('user', 'principal', ['A list shows the own things alone', 'A cursor of another caller is refused']),
  resting: of('operator', 'partition', inside),
  idempotency: of('user', 'parts', ['An idempotency key of another caller replays nothing']),
  idempotencyPlace: of('user', 'parts', ['An idempotency key of another caller replays nothing']),
  flight: of('user', 'invocationKey', ['The same call of two tenants']),
  cache: of('user', 'invocationKey', ['A cached answer is given to its caller alone', 'The same call of two tenants']),
  held: of('tenant', 'tenant', counts),
  openByTenant: of('operator', 'partition', counts),
  rounds: of('operator', 'partition', inside),
  taken: of('operator', 'partition', inside),
  offer: of('operator', 'partition', inside),
  open: of('operator', 'partition', inside),
  unqueued: of('operator', 'partition', inside),
  sweeper: of('operator', 'partition', inside),
  soleSweeper: of('operator', 'what', inside),
  changesOf: of('operator', 'what', inside),
  paused: of('operator', 'partition', inside),
  pausedCalls: of('operator', 'partition', inside),
  flowSlot: of('operator', '', inside),
  flowsPassed: of('operator', '', inside),
  flow: of('operator', 'owner', inside),
  contractFlow: of('operator', 'tenant', inside),
  flowLine: of('operator', 'flow', inside),
  unplaced: of('operator', 'partition', inside),
  budgetSlot: of('tenant', 'tenant', budgets),
  budgetsKnown: of('tenant', 'tenant', budgets),
  budgetsHeld: of('tenant', 'tenant', budgets),
  budgetCounted: of('tenant', 'tenant', budgets),
  endedCalls: of('user', 'partition', pastCalls),
  endedCallsOneByOne: of('user', 'partition', pastCalls),
  endedCallsLost: of('operator', 'partition', counts),
  outbox: of('user', 'partition', webhooks),
  cacheTrust: of('operator', 'partition', inside),
  cacheChanges: of('operator', 'domain', inside),
  notices: of('operator', 'domain', inside),
  stops: of('operator', 'domain', inside),
  handed: of('operator', 'domain', inside),
  chatCounts: of('user', 'who', [
    'GET /chat/v5/quota by the administrator of another tenant',
    'What one tenant does is counted for no other',
  ]),
  guestTurns: of('user', 'guest', ["A guest who posts another guest's conversation id", 'What another guest said']),
  partitionCounts: of('operator', '', inside),
  rightsProbe: of('operator', 'partition', inside),
  busyDomains: of('operator', '', inside),
  ticket: of('user', 'ticket', ['A ticket opens no route', 'A ticket that was invented']),
  usedTicket: of('user', 'ticket', ['A ticket that was used for one job']),
  consoleSession: of('user', 'session', ['A session of the console ends with its key']),
  consoleTicket: of('user', 'ticket', ['The address that signs a browser in works once']),
  callList: of('user', 'name', runs),
  callRows: of('user', 'hour', runs),
  callFeed: of('user', '', runs),
  errors: of('tenant', 'hour', ['The audit, history, sums and errors of one tenant', 'GET /errors by the administrator of another tenant']),
  activity: of('operator', 'span', ['GET /admin/activity with too small a scope']),
  workers: of('operator', 'domain', ['GET /admin/workers by the administrator of another tenant']),
  servedTools: of('tenant', '', ownTools),
  servedWorkers: of('tenant', '', ownTools),
  servedLastSeen: of('tenant', '', ownTools),
  workerMessages: of('tenant', 'gatewayId', ['An attempt of a worker is answered by no other key']),
  mcpCall: of('user', 'parts', ['A task of another is not found']),
  mcpSubscriptions: of('user', 'parts', ['A resource is listened for by its tenant alone']),
  watchedResources: of('tenant', 'tenant', ['A resource is listened for by its tenant alone']),
  watchingTenants: of('operator', '', inside),
  watcherOf: of('operator', 'watchedKey', inside),
  mcpAnswer: of('user', 'parts', ['Clients with the same message ids']),
  traces: of('user', 'tenant', ['A trace of another user does not exist', 'GET /traces/{id} with things of another tenant']),
  traceTenants: of('operator', '', inside),
  traceAliases: of('user', 'principal', ["A caller's own trace id neither hides nor shows"]),
  callsOfSecond: of('user', 'principal', counted),
  callsOfDay: of('user', 'principal', counted),
};
