// The agent calls tools at the gateway, in the name of the user: so scopes, quotas, the cache and the audit hold for it too.
import { Invoq, InvoqError, type CallOptions, type ToolResult } from '#lib/client';
import type { Caller, ToolDefinition } from '#lib/contracts';
import { RecentMap, type Logger } from '#lib/platform';

export type ToolAnswer = (
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>>; readonly warnings?: readonly string[] | undefined }
  | { readonly ok: false; readonly error: ToolFault }
) & {
  /** The call's own job, where it had one: people read there how it went. */
  readonly jobId?: string | undefined;
};

export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly { readonly path: string; readonly message: string }[] | undefined;
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
  /** The call may rest until a person approves it: then the answer is that it does, and it goes on by itself. */
  readonly mayRest?: boolean;
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
    const { tenantId, tools = null } = authority.caller;
    const key = JSON.stringify([tenantId, tools]);
    const view = this.#views.get(key) ?? { known: null, refreshing: null };
    this.#views.set(key, view);
    if (!view.known || this.#now() - view.known.at > freshMs) {
      view.refreshing ??= this.#refresh(authority, view).finally(() => (view.refreshing = null));
      if (!view.known) await view.refreshing;
    }
    return view.known?.byName ?? new Map();
  }

  /** Every error of the tool, the gateway or the way to it is an answer. Throws only the signal's reason. */
  async call(name: string, input: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolAnswer> {
    const { effectKey, limitMs, signal, traceId, mayRest = false } = options;
    const timeout = AbortSignal.timeout(limitMs);
    try {
      const request = { signal: AbortSignal.any([signal, timeout]), ...(effectKey && { idempotencyKey: effectKey }) };
      const invoq = this.#as(options);
      const settled = mayRest ? await callOrRest(invoq, { name, input, request }) : await invoq.call<string>(name, input, request);
      if ('waits' in settled) return settled.waits;
      const { data, metadata } = settled;
      if (isRecord(data)) return { ok: true, data, warnings: metadata.warnings, jobId: metadata.job_id };
      throw new TypeError(`the data of ${name} is no JSON object`);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        return { ok: false, error: { code: 'TIMEOUT', message: `${name} gave no answer in ${limitMs} ms`, retryable: true } };
      if (error instanceof InvoqError && error.envelope) return { ok: false, error: faultOf(error), jobId: error.envelope.metadata.job_id };
      this.#log.warn({ event: 'tool-unreachable', trace_id: traceId, tool_name: name, err: error }, 'a tool could not be called');
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
  #as({ token, traceId }: Authority): Invoq {
    return new Invoq({ url: this.#url, key: token, headers: { 'x-trace-id': traceId }, retries: 0 });
  }
}

interface RestableCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly request: Pick<CallOptions, 'signal' | 'idempotencyKey'>;
}

/** The result of a call, or that it waits for a person, who has longer than a turn. */
async function callOrRest(
  invoq: Invoq,
  { name, input, request }: RestableCall,
): Promise<ToolResult<unknown> | { readonly waits: ToolAnswer }> {
  const started = await invoq.start<string>(name, input, request);
  if (started.job_id === null) return started.result;
  const { signal } = request;
  const { rest } = await invoq.job(started.job_id, signal ? { signal } : {});
  if (rest?.reason !== 'approval') return waitOrCancel(invoq, started.job_id, signal);
  return {
    waits: {
      ok: true,
      data: {
        status: 'waiting_for_approval',
        message: 'A person has to approve this call. It runs then by itself: do not call again, and tell the user that it waits.',
        until: rest.until,
        ...(rest.input_request !== undefined && { input_request: rest.input_request }),
        job_id: started.job_id,
      },
      jobId: started.job_id,
    },
  };
}

/** A call that nobody waits for any more is cancelled, as one is whose connection ends. */
async function waitOrCancel(invoq: Invoq, jobId: string, signal: AbortSignal | undefined): Promise<ToolResult<unknown>> {
  try {
    return await invoq.wait(jobId, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) await invoq.cancel(jobId).catch(() => undefined);
    throw error;
  }
}

function faultOf({ code, message, retryable, details }: InvoqError): ToolFault {
  return { code, message, retryable, ...(details.length > 0 && { details }) };
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
