export {
  parseAgentOutput,
  toolRestIn,
  type AgentEvent,
  type AgentOutput,
  type AgentToolCall,
  type AgentToolRest,
  type AgentToolResult,
  type FinishReason,
  type TokenUsage,
} from './agent/agent-output.js';
export { chatLimits, type ChatLimits } from './agent/chat-limits.js';
export { guestTools, iterationsOf, type ChatDialect, type ChatMode } from './agent/chat-mode.js';
export { chatQuotaSubject, guestCredential, guestTenant, isGuest } from './agent/guest.js';
export { approvalOf, type Approval, type ApprovalRule } from './approval.js';
export * from './code-limits.js';
export { Catalog, type CalledTool } from './catalog.js';
export { fitsPattern, isAmong, toolPatternShape } from './narrowing.js';
export { callToolForm, callToolName, nothingFoundHint, searchToolName } from './tool-search.js';
export { isInSet, offeredBySet, type OfferedTools, type Toolset, type ToolsetFault } from './toolset.js';
// The shapes of the routes that the console is made from.
export {
  activitySchema,
  activitySecond,
  type Activity,
  type ActivityBucket,
  type ActivitySecond,
  type ActivitySums,
  type OwnQueueState,
  type QueueDepthShown,
  type QueueState,
} from './console/activity.js';
export * from './console/errors.js';
export * from './console/audit.js';
export * from './console/inputs.js';
export { conversationQuery, conversationsQuery, type ConversationQuery } from './console/conversations.js';
export * from './console/history.js';
export {
  collectionList,
  settingList,
  usageSchema,
  workerList,
  workspaceList,
  type CollectionList,
  type SettingList,
  type Usage,
  type OwnDomain,
  type WorkerList,
  type WorkspaceList,
} from './console/operations.js';
export * from './console/calls.js';
export {
  batch,
  batchCall,
  cancelledJobs,
  cancelQuery,
  cancelSelection,
  dryRunCount,
  batchesQuery,
  batchPage,
  batchResultsQuery,
  mostBatchBytes,
  mostBatchCalls,
  newBatch,
  newBatchQuery,
  startedBatch,
  type Batch,
  type BatchCall,
  type BatchesQuery,
  type CancelledJobs,
  type CancelSelection,
  type DryRunCount,
  type ReplaySelection,
  type BatchPage,
  type BatchResultsQuery,
  type NewBatch,
  type StartedBatch,
} from './console/batches.js';
export * from './console/schedules.js';
export {
  budget,
  budgetList,
  budgetName,
  newBudget,
  type Budget,
  type BudgetList,
  type BudgetPeriod,
  type NewBudget,
} from './console/budgets.js';
export * from './console/toolsets.js';
export * from './console/flows.js';
export * from './wire/shown-rest.js';
export * from './console/pauses.js';
export * from './console/policies.js';
export type { ToldSchedule } from './tools/agent/schedule-fields.js';
export * from './console/session.js';
export * from './console/webhooks.js';
export * from './console/accounts.js';
export {
  defineTool,
  type CacheRule,
  type DefinedTool,
  type Fallback,
  type JsonObjectSchema,
  type RetryableKind,
  type RetryRule,
  type SemanticVersion,
  type ToolContract,
  type ToolExample,
  type ToolFields,
  type ToolInput,
  type ToolLiteral,
  type ToolOutput,
} from './define-tool.js';
export { compareContracts, isCompatible, type ContractChange, type ContractShape } from './derive/compatibility.js';
export { shapeOf } from './derive/contract-shape.js';
export { toDefinition, type ToolDefinition } from './derive/definition.js';
export { envelopeSchema } from './derive/envelope-schema.js';
export { isToolForm, toolForms, type ToolForm } from './derive/forms.js';
export { optionParameters, toOpenApiOperation, type OpenApiOperation } from './derive/openapi.js';
export { longTextParameters } from './long-text.js';
export { fingerprint, inputFingerprint, invocationKey } from './derive/invocation-key.js';
export { toJsonSchema, type JsonSchema } from './derive/json-schema.js';
export { backoffMs, maxAttempts, retryRule, wholeDeadlineMs, type FullRetryRule } from './derive/job-options.js';
export { toMcp, toMcpData, type McpTool } from './derive/mcp.js';
export { briefDescription, plainParameters, withItems } from './derive/provider-limits.js';
export { markedPaths, redact, redactWhole, replaceAt } from './derive/redaction.js';
export { estimateTokens, promisedTokens, tokensOf } from './derive/tokens.js';
export { domainNamed } from './served/domain-named.js';
export { domains, servedDomains, type Domain, type DomainName, type ServedDomainName } from './domains.js';
export {
  jobStates,
  type CacheFacts,
  type CallFacts,
  type EndState,
  type Envelope,
  type EnvelopeError,
  type EnvelopeMetadata,
  type JobState,
  type Metacognition,
  type OkOutcome,
  type Outcome,
  type Performance,
} from './envelope.js';
export {
  errorCodes,
  failureCode,
  failureKinds,
  isSystemFault,
  Refusal,
  type ParameterFault,
  type ErrorCode,
  type FailureKind,
  type ToolError,
} from './errors.js';
export type { InvocationEvent, LoggedEvent } from './events.js';
export * from './cost.js';
export { isJsonObject, jsonIn } from './json-in.js';
export * from './rest.js';
export * from './question.js';
export { hookIn, hookToken, isSignedHook, type HookName } from './hook-token.js';
export {
  answeredIn,
  answerOf,
  connectionStep,
  isConnectionStep,
  isMoreScopesStep,
  moreScopesStep,
  mostStepBytes,
  mostStepNameCharacters,
  mostSteps,
  mostStepsBytes,
  stepNameShape,
  type KeptStep,
} from './steps.js';
export * from './file-output.js';
export * from './long-result.js';
export { cancelledOutcome, deadlineOutcome, declinedOutcome, failureError, undecidedOutcome } from './failure-error.js';
export { completeError } from './complete-error.js';
export { withRetryBase } from './derive/retry-base.js';
export { timeoutSettings, withTimeouts } from './derive/timeouts.js';
export { addressHere, addressThere } from './outside/addresses.js';
export * from './outside/offers.js';
export * from './outside/operation.js';
export { offeredNames, outsideName } from './outside/offered-names.js';
export * from './outside/apps.js';
export * from './outside/asked-address.js';
export * from './outside/relayed.js';
export {
  breaksOfAnswer,
  declaresAnswer,
  outsideContract,
  OutsideToolError,
  readOutsideTool,
  type OutsideRefusal,
} from './outside/outside-contract.js';
export { isStorable, isStorableText } from './storable.js';
export {
  credentialsOfSealed,
  headersOfSealed,
  outsideServer,
  outsideServerId,
  outsideTool,
  sealedHeadersPurpose,
  valuesToSeal,
  type OutsideKind,
  type OutsideServer,
  type OutsideTool,
} from './outside/server.js';
export {
  databaseCredential,
  givenQueries,
  type ColumnKind,
  type GivenQuery,
  type OutsideQuery,
  type TypedColumn,
} from './outside/query.js';
export { continuesMajor, refusedChange } from './served/served-change.js';
export { servedContract, ServedToolError } from './served/served-contract.js';
export { servedFaults, servedSizeFault, type ServedFaults } from './served/served-rules.js';
export { servedDomainName, servedDomainShape, servedTool, type ServedPlace, type ServedTool } from './served/served-tool.js';
export { asApproved, changedUnderNumber, substanceOf, widenedFields } from './served/widening.js';
export {
  attemptFrame,
  receivedMessages,
  keptFrame,
  tokenFrame,
  settledFrame,
  stopFrame,
  toolsFrame,
  welcomeFrame,
  fileFrame,
  workerConnection,
  workerMessages,
  type AttemptEnd,
  type AttemptFrame,
  type FileFrame,
  type TokenFrame,
  type WelcomeFrame,
  type WorkerConnectionRequest,
  type WorkerMessage,
} from './served/protocol.js';
export { cutText } from './cut-text.js';
export { invalidField, invalidParameter } from './invalid.js';
export { workerLimits } from './served/worker-limits.js';
export { toServedTool } from './served/to-served-tool.js';
export { tenantIdSchema, userIdSchema } from './identity.js';
export { languageIn, type Language } from './language.js';
export { entryIn, errorIn, outcomeIn, textIn } from './in-language.js';
export { lifecycleWarnings, phaseOf } from './lifecycle.js';
export { secret, sensitive } from './marks.js';
export { memoized } from './memoized.js';
export { ownProperties } from './own-properties.js';
export {
  countedCallers,
  hasScope,
  isApiKey,
  principal,
  scopeNamed,
  scopeNames,
  scopes,
  scopesOf,
  tiers,
  userScopes,
  type Caller,
  type Scope,
  type Tier,
} from './scopes.js';
export { tools, type ProductTools } from './all-tools.js';
// The tools themselves, by their names; `npm run format` writes their list.
export * from './tools/index.js';
export type { ReportFormat } from './tools/perception/report-format.js';
export type { TemperatureUnit, WeatherCondition } from './tools/perception/weather-fields.js';
export { useSkillTool, type Topic } from './tools/agent/use-skill.js';
export { zodiacSigns, type ZodiacSign } from './tools/agent/show-zodiac-chart.js';
export { compareVersions } from './versions.js';
export {
  lodLevels,
  memotreeLimits,
  nodeIdShape,
  nodeTypes,
  relationTypes,
  rootId,
  type Freshness,
  type LodLevel,
  type MemotreeErrorCode,
  type NodeType,
  type RelationType,
  type UpdateMode,
} from './tools/memotree/vocabulary.js';
export type { MemotreeLiteral } from './tools/memotree/memotree-tool.js';
export { coerceQuery } from './coerce-query.js';
export { parseOrRefuse } from './parameter-faults.js';
export { validateInput } from './validate.js';
export { toAgentEnd, toAgentEvent } from './wire/agent-events.js';
export { ChatChunks, chatError, type AskedInStream, type ChatFrame } from './wire/chat-chunks.js';
export { readableData, toJsonRpcError, toMcpDataResult, toMcpResult, toMcpTask, type McpResult, type McpTask } from './wire/mcp.js';
export { nativeOutcome, nativeShapes } from './wire/native.js';
export { eventId, parseEventId, toEndEvent, toSingleEvent, toToolEvent, type ServerSentEvent } from './wire/tool-events.js';
export { httpStatus, outcomeFacts, toEnvelope } from './wire/unified.js';
