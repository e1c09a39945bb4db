import type { ErrorsFilter, ErrorsPage } from './error-wire.js';
import type { ResultPart, ToolDefinition } from '#lib/contracts';
import { requestParts, resultOf, type CallOptions, type RequestOptions, type ToolResult } from './call-request.js';
import { agentEvents, toolEvents } from './event-forms.js';
import { cancelOpen, countOpen } from './open-calls.js';
import { followEvents } from './event-stream.js';
import type { JobFilter, OpenFilter, PartOptions } from './filters.js';
import { lastEnvelope } from './own-call.js';
import { Calling } from './calling.js';
import { jobPath, queryOf } from './paths.js';
import { readItems, type PageOptions } from './pages.js';
import { Requests, type InvoqOptions } from './requests.js';
import { Batches } from './batches.js';
import { InputRequests } from './input-requests.js';
import { Budgets } from './budgets.js';
import { Toolsets } from './toolsets.js';
import { Flows } from './flows.js';
import { Pauses } from './pauses.js';
import { Connections, Providers } from './accounts.js';
import { Policies } from './policies.js';
import { Schedules } from './schedules.js';
import { OutsideServers } from './outside-servers.js';
import { Webhooks } from './webhooks.js';
import type { InputOf, OutputOf, ToolName, ToolTypes } from './typed.js';
import type { AgentEvent, BatchCall, BatchResult, Job, Progress, RestingCall, StartedCall, StreamEvent } from './call-wire.js';
import type { ApiKey, NewApiKey } from './key-wire.js';
import type { AuditFilter, AuditPage, CallSums, CallSumsFilter, HistoryFilter, HistoryPage } from './history-wire.js';
import type { ServedToolRow, ToolList, ToolsFilter } from './tool-wire.js';
import type { Trace } from './trace-wire.js';

interface WaitOptions extends RequestOptions {
  /** Called with the progress; the job's events are then read as a stream. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The longest that one request waits for a job, seconds; the next request continues the wait. */
const pollSeconds = 30;

/**
 * Client of one gateway, as one caller. Every method throws InvoqError, or the reason of its signal.
 * @typeParam Tools the types of the tools, as `invoq types` writes them; without it every call is untyped
 */
export class Invoq<Tools extends ToolTypes<Tools> = object> {
  readonly #requests: Requests;
  readonly #calling: Calling;
  /** Many calls that are given together. */
  readonly batches: Batches;
  /** Calls that are made again and again. */
  readonly schedules: Schedules;
  /** Rules of the tenant for the calls of its callers. */
  readonly policies: Policies;
  /** Named sets of tools, for agents of the tenant. */
  readonly toolsets: Toolsets;
  /** At whom users have accounts; with a key that has `tenant:admin`. */
  readonly providers: Providers;
  /** Accounts that tools act with. */
  readonly connections: Connections;
  /** What calls of the tenant may cost. */
  readonly budgets: Budgets;
  /** Calls that wait, or are refused, until somebody ends it. */
  readonly pauses: Pauses;
  /** Calls that wait for each other in lines by a key. */
  readonly flows: Flows;
  /** Servers whose tools the tenant uses. */
  readonly outsideServers: OutsideServers;
  /** Addresses that are told what becomes of calls. */
  readonly webhooks: Webhooks;
  /** What people are asked while calls rest. */
  readonly inputRequests: InputRequests;

  /** Throws a TypeError when the address is no URL. */
  constructor(options: InvoqOptions) {
    this.#requests = new Requests(options);
    this.#calling = new Calling(this.#requests);
    this.batches = new Batches(this.#requests);
    this.schedules = new Schedules(this.#requests);
    this.policies = new Policies(this.#requests);
    this.toolsets = new Toolsets(this.#requests);
    this.providers = new Providers(this.#requests);
    this.connections = new Connections(this.#requests);
    this.budgets = new Budgets(this.#requests);
    this.pauses = new Pauses(this.#requests);
    this.flows = new Flows(this.#requests);
    this.outsideServers = new OutsideServers(this.#requests);
    this.webhooks = new Webhooks(this.#requests);
    this.inputRequests = new InputRequests(this.#requests);
  }

  /**
   * Calls a tool and waits for its result. When the signal fires, or `onProgress` throws, the call is cancelled. A call with `onProgress` or
   * an idempotency key gives its result all the same if it had ended before, and throws InvoqError if the gateway could not be told.
   */
  async call<Name extends ToolName<Tools>>(
    name: Name,
    input: InputOf<Tools, Name>,
    options: CallOptions = {},
  ): Promise<ToolResult<OutputOf<Tools, Name>>> {
    return resultOf<OutputOf<Tools, Name>>(await this.#calling.envelope(name, input, options));
  }

  /** The same for who does not wait while the call rests: then it goes on by itself, and `wait` and `cancel` take its job. */
  async callOrRest<Name extends ToolName<Tools>>(
    name: Name,
    input: InputOf<Tools, Name>,
    options: Omit<CallOptions, 'onRest'> = {},
  ): Promise<ToolResult<OutputOf<Tools, Name>> | RestingCall> {
    const found = await this.#calling.untilRest(name, input, options);
    if (!('job_id' in found)) return resultOf<OutputOf<Tools, Name>>(found);
    const { job_id, rest } = found;
    // It was answered before its end, so it rests, whether the gateway tells for what or not.
    return { job_id, rest: rest ?? { reason: 'event', until: '' } };
  }

  /**
   * Calls a tool and gives its events, the last of which has the envelope. Cut connections are taken up again. Who leaves the loop before
   * the last event cancels the call, as the signal does; a call that goes on by itself is `start` and `jobEvents`.
   */
  stream<Name extends ToolName<Tools>>(
    name: Name,
    input: InputOf<Tools, Name>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamEvent, void> {
    return this.#calling.events(name, input, options);
  }

  /**
   * Calls a tool without waiting: the job goes on by itself. An answer from the cache has a result and no job. A signal that fires before
   * the job is known cancels it.
   */
  async start<Name extends ToolName<Tools>>(
    name: Name,
    input: InputOf<Tools, Name>,
    options: CallOptions = {},
  ): Promise<StartedCall<OutputOf<Tools, Name>>> {
    const answer = await this.#calling.start(name, input, options);
    if ('job_id' in answer) return { job_id: answer.job_id, trace_id: answer.trace_id, result: null };
    return { job_id: null, trace_id: answer.metadata.trace_id, result: resultOf<OutputOf<Tools, Name>>(answer) };
  }

  /** Up to 50 calls at once; one that fails does not stop the others. Results are in the order of the calls. */
  async batch(calls: readonly BatchCall[], options: RequestOptions = {}): Promise<readonly BatchResult[]> {
    const request = { method: 'POST', body: { calls }, ...requestParts(options) } as const;
    const answer = await this.#requests.retrying(options, () =>
      this.#requests.transport.json<{ readonly results: readonly BatchResult[] }>('tools/batch', request),
    );
    return answer.results;
  }

  /** Items of a tool that answers in pages, as the pages arrive. The parameters are those of the tool without `limit` and `cursor`. */
  items<Name extends ToolName<Tools>>(
    name: Name,
    parameters: Omit<InputOf<Tools, Name>, 'limit' | 'cursor'>,
    options: CallOptions & PageOptions = {},
  ): AsyncGenerator<unknown, void> {
    return readItems(async (page) => resultOf(await this.#calling.envelope(name, { ...parameters, ...page }, options)), options);
  }

  /** All items of a tool that answers in pages, at most `maxItems`. */
  async fetchAllPages<Name extends ToolName<Tools>>(
    name: Name,
    parameters: Omit<InputOf<Tools, Name>, 'limit' | 'cursor'>,
    options: CallOptions & PageOptions = {},
  ): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    for await (const item of this.items(name, parameters, options)) items.push(item);
    return items;
  }

  /**
   * Waits until a job ends. Throws its error when it failed or was cancelled. The signal ends the wait, not the job.
   * The data has the type of the output of the tool that the job runs.
   */
  async wait<Data = unknown>(jobId: string, { onProgress, ...options }: WaitOptions = {}): Promise<ToolResult<Data>> {
    if (onProgress) return resultOf(await lastEnvelope(this.jobEvents(jobId, options), { onProgress }));
    for (;;) {
      const { result } = await this.#requests.get<Job>(`${jobPath(jobId)}?wait=${pollSeconds}`, options);
      if (result) return resultOf(result);
    }
  }

  /** The events of a job from its first, or those after an event that is known. Cut connections are taken up again. */
  jobEvents(jobId: string, { after, ...options }: RequestOptions & { readonly after?: string } = {}): AsyncGenerator<StreamEvent, void> {
    return followEvents(this.#requests.transport, { path: `${jobPath(jobId)}/events`, after, ...requestParts(options) }, toolEvents);
  }

  /** The events of a chat turn as the agent tells them. */
  agentEvents(jobId: string, options: RequestOptions = {}): AsyncGenerator<AgentEvent, void> {
    return followEvents(this.#requests.transport, { path: `${jobPath(jobId)}/events?format=agent`, ...requestParts(options) }, agentEvents);
  }

  /** Throws CONFLICT when the job has ended already. */
  async cancel(jobId: string, options: RequestOptions = {}): Promise<void> {
    await this.#requests.transport.json(jobPath(jobId), { method: 'DELETE', ...requestParts(options) });
  }

  /** Cancels all of the caller's own calls that have not ended and meet each filter. @returns how many */
  async cancelAll(filter: OpenFilter, options: RequestOptions = {}): Promise<number> {
    return cancelOpen(this.#requests, filter, options);
  }

  /** How many of them there are. Of more than 20,000 only the newest are counted. */
  async countOpen(filter: OpenFilter, options: RequestOptions = {}): Promise<number> {
    return countOpen(this.#requests, filter, options);
  }

  async job(jobId: string, options: RequestOptions = {}): Promise<Job> {
    return this.#requests.get<Job>(jobPath(jobId), options);
  }

  /**
   * A part of the JSON of a result, for a model that was given the beginning.
   * @param id the `result_id` of what was cut: the job's id, or `metadata.result_id` of an answer that was shared
   * @param options `offset`: 0, then the `next_offset` of the part before; `limit`: the most characters
   */
  async result(id: string, { offset, limit, ...options }: PartOptions = {}): Promise<ResultPart> {
    return this.#requests.get<ResultPart>(`results/${encodeURIComponent(id)}${queryOf({ offset, limit })}`, options);
  }

  /** A page of the caller's own jobs, the newest first. */
  async jobs(
    filter: JobFilter = {},
    options: RequestOptions = {},
  ): Promise<{ readonly jobs: readonly Job[]; readonly nextCursor: string | null }> {
    const page = await this.#requests.get<{ readonly jobs: readonly Job[]; readonly pagination: { readonly next_cursor: string | null } }>(
      `jobs${queryOf(filter)}`,
      options,
    );
    return { jobs: page.jobs, nextCursor: page.pagination.next_cursor };
  }

  /** A page of calls that have ended, those that ended last first. They are kept for months, without their data. */
  async history(filter: HistoryFilter = {}, options: RequestOptions = {}): Promise<HistoryPage> {
    return this.#requests.get<HistoryPage>(`history${queryOf(filter)}`, options);
  }

  /** Sums of calls that have ended, by day, tenant, user, key, tool, model or conversation. */
  async callSums(filter: CallSumsFilter = {}, options: RequestOptions = {}): Promise<CallSums> {
    return this.#requests.get<CallSums>(`usage/calls${queryOf(filter)}`, options);
  }

  /** A page of the kinds of error in a time, the most frequent first. For administrators. */
  async errors(filter: ErrorsFilter = {}, options: RequestOptions = {}): Promise<ErrorsPage> {
    return this.#requests.get<ErrorsPage>(`errors${queryOf(filter)}`, options);
  }

  /** A page of changes of keys, approved tools and outside servers, the latest first. For administrators. */
  async audit(filter: AuditFilter = {}, options: RequestOptions = {}): Promise<AuditPage> {
    return this.#requests.get<AuditPage>(`audit${queryOf(filter)}`, options);
  }

  async tools({ domain, set, query, limit, ...options }: RequestOptions & ToolsFilter = {}): Promise<readonly ToolDefinition[]> {
    const filter = queryOf({ domain, set, query, limit });
    return (await this.#requests.get<Pick<ToolList, 'tools'>>(`tools${filter}`, options)).tools;
  }

  /** All tools, for a caller who keeps the list. Null when it is still the list with this ETag. */
  async toolList(knownEtag: string | null = null, options: RequestOptions = {}): Promise<ToolList | null> {
    const { headers, signal } = requestParts(options);
    const request = { signal, headers: { ...headers, ...(knownEtag !== null && { 'if-none-match': knownEtag }) } };
    const answer = await this.#requests.repeating(signal, () => this.#requests.transport.answer<Pick<ToolList, 'tools'>>('tools', request));
    return answer && { tools: answer.body.tools, etag: answer.headers.get('etag') };
  }

  async tool(name: string, version?: string): Promise<ToolDefinition> {
    return this.#requests.get<ToolDefinition>(`tools/${encodeURIComponent(name)}${queryOf({ version })}`);
  }

  /** The spans of one call. */
  async trace(traceId: string): Promise<Trace> {
    return this.#requests.get<Trace>(`traces/${encodeURIComponent(traceId)}`);
  }

  /** Makes an API key, which is in this answer alone. For administrators. */
  async createApiKey(key: NewApiKey): Promise<ApiKey & { readonly key: string }> {
    return this.#requests.transport.json<ApiKey & { readonly key: string }>('keys', { method: 'POST', body: key });
  }

  /** All API keys, the newest first, also the revoked ones. For administrators. */
  async apiKeys(): Promise<readonly ApiKey[]> {
    return (await this.#requests.get<{ readonly keys: readonly ApiKey[] }>('keys')).keys;
  }

  /** For administrators. */
  async revokeApiKey(id: string): Promise<ApiKey> {
    return this.#requests.transport.json<ApiKey>(`keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
  }

  /** The versions of tools that workers of tenants have announced. For administrators. */
  async servedTools({ tenantId, ...options }: RequestOptions & { readonly tenantId?: string | undefined } = {}): Promise<
    readonly ServedToolRow[]
  > {
    const query = queryOf({ tenant_id: tenantId });
    return (await this.#requests.get<{ readonly tools: readonly ServedToolRow[] }>(`served-tools${query}`, options)).tools;
  }

  /** Approves a version, if its contract still has this fingerprint; otherwise it throws CONFLICT. For administrators. */
  async approveTool(tool: Pick<ServedToolRow, 'tenant_id' | 'name' | 'version' | 'fingerprint'>): Promise<ServedToolRow> {
    return this.#requests.transport.json<ServedToolRow>('served-tools/approvals', { method: 'POST', body: tool });
  }
}
