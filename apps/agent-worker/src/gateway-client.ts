// The agent calls tools at the gateway, in the name of the user: so scopes, quotas, the cache and the audit hold for it too.
import { Invoq, InvoqError, type RestingCall, type Schedules, type ToolResult } from '#lib/client';
import { isJsonObject, type Caller, type ToolDefinition } from '#lib/contracts';
import { RecentMap, type Logger } from '#lib/platform';
import { goesOnLater } from '#lib/worker';

export type ToolAnswer = (
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>>; readonly warnings?: readonly string[] | undefined }
  | { readonly ok: false; readonly error: ToolFault }
) & {
  /** The call's own job, where it had one: people read there how it went. */
  readonly jobId?: string | undefined;
  /** What a long answer of a shared run is read in parts by; otherwise its job. */
  readonly resultId?: string | undefined;
};

/** A call that rests for what somebody is asked, who has longer than a turn waits. It goes on by itself. */
export interface ToolRest {
  readonly jobId: string;
  /** The id of what is asked. */
  readonly inputRequest: string;
  /** When the rest ends by itself, in epoch ms. */
  readonly until: number;
}

/** What became of a call: an answer, or that it rests. */
export type ToolEnd = ToolAnswer | { readonly rest: ToolRest };

type FoundNames = { readonly ok: true; readonly names: readonly string[] } | { readonly ok: false; readonly error: ToolFault };

export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** True where somebody was asked and declined. */
  readonly declined?: boolean;
}

/** In whose name and in which turn a tool is called. */
export interface Authority {
  readonly token: string;
  readonly caller: Caller;
  readonly jobId: string;
  readonly traceId: string;
  readonly signal: AbortSignal;
}

interface ToolCallOptions extends Authority {
  /** The same whenever the same call is made again, so that its effect happens once; null for a tool that only reads. */
  readonly effectKey: string | null;
  /** The longest that is waited, ms. */
  readonly limitMs: number;
}

interface LaterFinding {
  /** Whether a later attempt finds the same call, by its key or its id. */
  readonly isKnownLater: boolean;
}

/** A list of definitions is used for this long before the gateway is asked whether it has changed. */
const freshMs = 5_000;
const listTimeoutMs = 5_000;

interface KnownTools {
  readonly byName: ReadonlyMap<string, ToolDefinition>;
  readonly etag: string | null;
  /** When the gateway last confirmed the list, on the monotonic clock. */
  readonly at: number;
}

interface ToolsView {
  known: KnownTools | null;
  refreshing: Promise<void> | null;
}

const keptViews = 200;

export class GatewayClient {
  readonly #url: string;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  /** By what tells one view of the tools from another: tenants and keys may have tools of their own. */
  readonly #views = new RecentMap<string, ToolsView>(keptViews);

  /** @param now a monotonic clock, ms */
  constructor(url: string, log: Pick<Logger, 'warn'>, now = () => performance.now()) {
    this.#url = url;
    this.#log = log;
    this.#now = now;
  }

  /** Every tool that the caller has at the gateway, by name; the last known ones while it gives no list. Only the first list is waited for. */
  async definitions(authority: Authority): Promise<ReadonlyMap<string, ToolDefinition>> {
    const { tenantId, tools = null, toolset = null } = authority.caller;
    const key = JSON.stringify([tenantId, tools, toolset]);
    const view = this.#views.get(key) ?? { known: null, refreshing: null };
    this.#views.set(key, view);
    if (!view.known || this.#now() - view.known.at > freshMs) {
      view.refreshing ??= this.#refresh(authority, view).finally(() => (view.refreshing = null));
      if (!view.known) await view.refreshing;
    }
    return view.known?.byName ?? new Map();
  }

  /** Names of tools that fit a request in words, the best first: of those that its caller may call. Throws the signal's reason. */
  async search(
    query: string,
    limit: number,
    { token, traceId, signal }: Pick<Authority, 'token' | 'traceId' | 'signal'>,
  ): Promise<FoundNames> {
    try {
      const found = await this.#as({ token, traceId }).tools({ query, limit, signal });
      return { ok: true, names: found.map(({ name }) => name) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof InvoqError && error.envelope) return { ok: false, error: faultOf(error) };
      this.#log.warn({ event: 'tools-unreachable', trace_id: traceId, err: error }, 'tools could not be searched');
      return { ok: false, error: { code: 'NETWORK_ERROR', message: 'The search could not be reached', retryable: true } };
    }
  }

  /** The schedules of the user. */
  schedules(authority: Pick<Authority, 'token' | 'traceId'>): Schedules {
    return this.#as(authority).schedules;
  }

  /** Reads results of the user in parts. @param sessionId the working session of their calls */
  results({ token, traceId }: Pick<Authority, 'token' | 'traceId'>, sessionId: string | null): Pick<Invoq, 'result'> {
    return this.#as({ token, traceId }, sessionId === null ? {} : { 'x-session-id': sessionId });
  }

  /** The answer of a call, for who does not wait while it rests: then the answer is that it does. */
  async call(name: string, input: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolAnswer> {
    const end = await this.callOrRest(name, input, options);
    return 'rest' in end ? { ok: true, data: toWaiting(end.rest), jobId: end.rest.jobId } : end;
  }

  /** Every error of the tool, the gateway or the way to it is an answer. Throws only the signal's reason. */
  async callOrRest(name: string, input: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolEnd> {
    const { effectKey } = options;
    return this.#ended(name, { ...options, isKnownLater: effectKey !== null }, async (invoq, signal) =>
      invoq.callOrRest<string>(name, input, { signal, ...(effectKey && { idempotencyKey: effectKey }) }),
    );
  }

  /** The same for a call that has rested. */
  async goOn(name: string, jobId: string, options: Omit<ToolCallOptions, 'effectKey'>): Promise<ToolEnd> {
    return this.#ended(name, { ...options, isKnownLater: true }, async (invoq, signal) => {
      const { rest } = await invoq.job(jobId, { signal });
      return rest ? { job_id: jobId, rest } : waitOrCancel(invoq, jobId, { signal, isKnownLater: true });
    });
  }

  /** Ends a call that nobody waits for any more. */
  async cancel(jobId: string, authority: Pick<Authority, 'token' | 'traceId'>): Promise<void> {
    await this.#as(authority).cancel(jobId);
  }

  async #ended(
    name: string,
    { limitMs, signal, isKnownLater, ...authority }: Omit<ToolCallOptions, 'effectKey'> & LaterFinding,
    work: (invoq: Invoq, signal: AbortSignal) => Promise<ToolResult<unknown> | RestingCall>,
  ): Promise<ToolEnd> {
    const timeout = AbortSignal.timeout(limitMs);
    try {
      const invoq = this.#as(authority);
      const either = AbortSignal.any([signal, timeout]);
      const found = await work(invoq, either);
      if ('job_id' in found && found.rest.input_request !== undefined) {
        const { input_request: inputRequest, until } = found.rest;
        return { rest: { jobId: found.job_id, inputRequest, until: Date.parse(until) } };
      }
      // What rests for anything else may be over in time.
      const { data, metadata } = 'job_id' in found ? await waitOrCancel(invoq, found.job_id, { signal: either, isKnownLater }) : found;
      const { warnings, job_id: jobId, result_id: resultId } = metadata;
      if (isJsonObject(data)) return { ok: true, data, warnings, jobId, resultId };
      throw new TypeError(`the data of ${name} is no JSON object`);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        return { ok: false, error: { code: 'TIMEOUT', message: `${name} gave no answer in ${limitMs} ms`, retryable: true } };
      if (error instanceof InvoqError && error.envelope) return { ok: false, error: faultOf(error), jobId: error.envelope.metadata.job_id };
      this.#log.warn({ event: 'tool-unreachable', trace_id: authority.traceId, tool_name: name, err: error }, 'a tool could not be called');
      return { ok: false, error: { code: 'NETWORK_ERROR', message: 'The tool could not be reached', retryable: true } };
    }
  }

  async #refresh(authority: Authority, view: ToolsView): Promise<void> {
    const { known } = view;
    try {
      const list = await this.#as(authority).toolList(known?.etag, { signal: AbortSignal.timeout(listTimeoutMs) });
      if (list) view.known = { byName: new Map(list.tools.map((tool) => [tool.name, tool])), etag: list.etag, at: this.#now() };
      else if (known) view.known = { ...known, at: this.#now() };
    } catch (error) {
      this.#log.warn({ event: 'tools-unreachable', err: error }, 'the list of tools could not be read; the last known one is used');
    }
  }

  /** The agent retries by its own rules, so the client does not. */
  #as({ token, traceId }: Pick<Authority, 'token' | 'traceId'>, headers: Readonly<Record<string, string>> = {}): Invoq {
    return new Invoq({ url: this.#url, key: token, headers: { 'x-trace-id': traceId, ...headers }, retries: 0 });
  }
}

/** What a model is told of a call that rests, where nobody waits for it. */
export function toWaiting({ jobId, inputRequest, until }: ToolRest): Readonly<Record<string, unknown>> {
  const message =
    'Somebody is asked about this call. It goes on by itself once they have answered: do not call again, and tell the user that it waits.';
  return { status: 'waiting', message, until: new Date(until).toISOString(), input_request: inputRequest, job_id: jobId };
}

/**
 * A call that nobody waits for any more is cancelled, as one is whose connection ends. A later attempt would throw that in the code, or tell it to a
 * model: so a worker that stops leaves a call to go on that its next attempt waits for.
 */
async function waitOrCancel(
  invoq: Invoq,
  jobId: string,
  { signal, isKnownLater }: LaterFinding & { readonly signal: AbortSignal },
): Promise<ToolResult<unknown>> {
  try {
    return await invoq.wait(jobId, { signal });
  } catch (error) {
    if (signal.aborted && !(isKnownLater && goesOnLater(signal))) await invoq.cancel(jobId).catch(() => undefined);
    throw error;
  }
}

function faultOf({ code, message, retryable, details, nativeCode }: InvoqError): ToolFault {
  return { code, message, retryable, ...(details.length > 0 && { details }), ...(nativeCode === 'DECLINED' && { declined: true }) };
}
