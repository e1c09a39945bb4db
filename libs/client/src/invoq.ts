import type { Envelope, EnvelopeMetadata } from '#lib/contracts';
import { followEvents } from './event-stream.js';
import { errorOf } from './invoq-error.js';
import { retrying } from './retrying.js';
import { Transport, type TransportOptions, type Wanted } from './transport.js';
import type { Definition, InputOf, OutputOf, ToolName } from './typed.js';
import type { AcceptedJob, BatchCall, Job, Progress, StartedCall, StreamEvent, Trace } from './wire.js';

export interface InvoqOptions extends TransportOptions {
  /** Tries after the first of what was refused before it ran, or lost with an idempotency key. Default 2. */
  readonly retries?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Makes a second sending the same call: for tools that change something. */
  readonly idempotencyKey?: string;
  /** Speak for this user; needs the scope act-as. */
  readonly userId?: string;
  /** The working session of MemoTree and Stripe tools. */
  readonly sessionId?: string;
  /** A version range, such as `^2.0.0`. */
  readonly version?: string;
  /** Options of the gateway. */
  readonly options?: GatewayOptions;
  /** Told how far it is; the call is then read as a stream. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface GatewayOptions {
  /** Default true. */
  readonly enable_cache?: boolean;
  /** Default true. */
  readonly enable_retry?: boolean;
  /** The bytes of a small file beside its link. Default true. */
  readonly inline_files?: boolean;
  /** How the answer came about, in `debug_info`; not in production. */
  readonly debug?: boolean;
  /** A second look at a success, in `metadata.metacognition`. */
  readonly metacognition?: boolean;
  /** How answers should be, for that look. */
  readonly personality?: Readonly<Record<string, unknown>>;
}

export interface ToolResult<Data> {
  readonly data: Data;
  readonly metadata: EnvelopeMetadata;
  /** With the option `debug`, outside production. */
  readonly debug_info?: Envelope['debug_info'];
}

/** The longest that one request waits for a job; the next request waits on. */
const pollSeconds = 30;

export class Invoq {
  readonly #transport: Transport;
  readonly #retries: number;

  constructor(options: InvoqOptions) {
    this.#transport = new Transport(options);
    this.#retries = options.retries ?? 2;
  }

  /** Calls a tool and waits for its result. Throws InvoqError; when the signal fires the call is cancelled. */
  async call<Name extends ToolName | (string & {})>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<ToolResult<OutputOf<Name>>> {
    if (options.onProgress) return this.#streamed(name, input, options);
    const envelope = await this.#retrying(options, () =>
      this.#transport.json<Envelope>(pathOf(name, options), { method: 'POST', body: input, ...headersOf(options) }),
    );
    return resultOf<OutputOf<Name>>(envelope);
  }

  /** Its events as they come, the last of which has the envelope. Cut connections are taken up again. */
  stream<Name extends ToolName | (string & {})>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamEvent, void> {
    return followEvents(this.#transport, pathOf(name, options, '/sse'), { method: 'POST', body: input, ...headersOf(options) });
  }

  /** Makes the call and does not wait: the job goes on by itself. What is in the cache has no job but its result. */
  async start<Name extends ToolName | (string & {})>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<StartedCall<OutputOf<Name>>> {
    const { headers, signal } = headersOf(options);
    const answer = await this.#retrying(options, () =>
      this.#transport.json<AcceptedJob | Envelope>(pathOf(name, options), {
        method: 'POST',
        body: input,
        signal,
        headers: { ...headers, prefer: 'respond-async' },
      }),
    );
    if ('job_id' in answer) return { job_id: answer.job_id, trace_id: answer.trace_id, result: null };
    return { job_id: null, trace_id: answer.metadata.trace_id, result: resultOf<OutputOf<Name>>(answer) };
  }

  /** Waits until a job ends. Throws InvoqError when it ended badly. */
  async wait(jobId: string, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<ToolResult<unknown>> {
    for (;;) {
      const { result } = await this.#repeatable(
        () => this.#transport.json<Job>(`jobs/${encodeURIComponent(jobId)}?wait=${pollSeconds}`, { signal }),
        signal,
      );
      if (result) return resultOf(result);
    }
  }

  /** Up to 50 calls at once; one that fails does not stop the others. */
  async batch(
    calls: readonly BatchCall[],
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<readonly ({ readonly id: string | number } & Envelope)[]> {
    const body = { calls };
    const answer = await this.#retrying(options, () =>
      this.#transport.json<{ readonly results: readonly ({ readonly id: string | number } & Envelope)[] }>('tools/batch', {
        method: 'POST',
        body,
        signal: options.signal,
      }),
    );
    return answer.results;
  }

  async cancel(jobId: string): Promise<void> {
    await this.#transport.json(`jobs/${encodeURIComponent(jobId)}`, { method: 'DELETE' });
  }

  async job(jobId: string): Promise<Job> {
    return this.#repeatable(() => this.#transport.json<Job>(`jobs/${encodeURIComponent(jobId)}`));
  }

  /** The caller's own jobs, the newest first. */
  async jobs(
    wanted: { readonly state?: string; readonly tool?: string; readonly limit?: number; readonly cursor?: string } = {},
  ): Promise<{ readonly jobs: readonly Job[]; readonly nextCursor: string | null }> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(wanted)) if (value !== undefined) query.set(name, String(value));
    const page = await this.#repeatable(() =>
      this.#transport.json<{ readonly jobs: readonly Job[]; readonly pagination: { readonly next_cursor: string | null } }>(
        `jobs?${query.toString()}`,
      ),
    );
    return { jobs: page.jobs, nextCursor: page.pagination.next_cursor };
  }

  async tools(wanted: { readonly domain?: string } = {}): Promise<readonly Definition[]> {
    const query = wanted.domain === undefined ? '' : `?domain=${encodeURIComponent(wanted.domain)}`;
    return (await this.#repeatable(() => this.#transport.json<{ readonly tools: readonly Definition[] }>(`tools${query}`))).tools;
  }

  async tool(name: string, version?: string): Promise<Definition> {
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
    return this.#repeatable(() => this.#transport.json<Definition>(`tools/${encodeURIComponent(name)}${query}`));
  }

  /** What one call did. */
  async trace(traceId: string): Promise<Trace> {
    return this.#repeatable(() => this.#transport.json<Trace>(`traces/${encodeURIComponent(traceId)}`));
  }

  async #streamed<Name extends string>(name: Name, input: InputOf<Name>, options: CallOptions): Promise<ToolResult<OutputOf<Name>>> {
    return this.#retrying(options, async () => {
      for await (const { event, data } of this.stream(name, input, options)) {
        if (event === 'tool_progress') options.onProgress?.(data);
        if (event === 'tool_result' || event === 'tool_error') return resultOf<OutputOf<Name>>(data);
      }
      throw new Error('a stream ends with its result');
    });
  }

  #retrying<Result>({ idempotencyKey, signal }: CallOptions, work: () => Promise<Result>): Promise<Result> {
    return retrying(work, { times: this.#retries, isRepeatable: idempotencyKey !== undefined, signal });
  }

  /** Reading is the same however often it is done. */
  #repeatable<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return retrying(work, { times: this.#retries, isRepeatable: true, signal });
  }
}

function pathOf(name: string, { version, options }: CallOptions, door = ''): string {
  const asked = encodeURIComponent(version === undefined ? name : `${name}@${version}`);
  const query = new URLSearchParams(
    Object.entries(options ?? {}).map(([key, value]): [string, string] => [key, JSON.stringify(value)]),
  ).toString();
  return `tools/${asked}${door}${query && `?${query}`}`;
}

function headersOf({ idempotencyKey, userId, sessionId, signal }: CallOptions): Pick<Wanted, 'headers' | 'signal'> {
  return {
    signal,
    headers: {
      accept: 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(userId !== undefined && { 'x-user-id': userId }),
      ...(sessionId !== undefined && { 'x-session-id': sessionId }),
    },
  };
}

/** The data is what the contract says: the worker has checked it against it. */
function resultOf<Data>(envelope: Envelope): ToolResult<Data>;
function resultOf(envelope: Envelope): ToolResult<unknown> {
  if (!envelope.success) throw errorOf(envelope, 200);
  const { data, metadata, debug_info } = envelope;
  return { data, metadata, ...(debug_info && { debug_info }) };
}
