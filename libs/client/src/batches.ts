import { requestParts, type CallOptions, type RequestOptions } from './call-request.js';
import { followEvents, type EventForm } from './event-stream.js';
import { connectionLost, InvoqError } from './invoq-error.js';
import { readLines } from './lines.js';
import { queryOf } from './paths.js';
import type { Requests } from './requests.js';
import { pause } from './retrying.js';
import type { Batch, BatchLine, BatchPage, NewBatchCall, ReplaySelection, StartedBatch } from './batch-wire.js';

type NewBatchOptions = Pick<CallOptions, keyof RequestOptions | 'idempotencyKey'> & {
  /** Calls that begin in a second at the most. */
  readonly ratePerS?: number | undefined;
};

interface BatchListOptions extends RequestOptions {
  readonly state?: Batch['state'] | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1–100, default 50. */
  readonly limit?: number | undefined;
}

/** Seconds that one request waits for results; the next request goes on. */
const waitSeconds = 30;
/** Requests in a row that bring no result because the gateway is away. */
const mostLost = 20;
const lostMs = 500;
const mostPauseMs = 10_000;

const events: EventForm<Batch> = {
  parse: ({ event, data }) => (event === 'batch' ? JSON.parse(data) : null),
  isLast: ({ finished_at }) => finished_at !== null,
};

/** Many calls that are given together, and made by the gateway some at a time. */
export class Batches {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /**
   * Has up to 10,000 calls made. With an idempotency key, a request that was lost is sent again.
   * @param calls a list, or NDJSON with a call in each line
   */
  async create(calls: readonly NewBatchCall[] | string | Blob, options: NewBatchOptions = {}): Promise<StartedBatch> {
    const isText = typeof calls === 'string' || calls instanceof Blob;
    const data = isText ? calls : calls.map((call) => JSON.stringify(call)).join('\n');
    return this.#send({ content: { type: 'application/x-ndjson', data } }, queryOf({ rate_per_s: options.ratePerS }), options);
  }

  /** Tries failed calls again, each as a replay that names its origin. */
  async replay(replay: ReplaySelection, options: NewBatchOptions = {}): Promise<StartedBatch> {
    const { ratePerS } = options;
    return this.#send({ body: { replay, ...(ratePerS !== undefined && { rate_per_s: ratePerS }) } }, '', options);
  }

  /** How many calls `replay` would try again. */
  async countReplays(replay: ReplaySelection, options: RequestOptions = {}): Promise<number> {
    const request = { method: 'POST', body: { replay }, ...requestParts(options) } as const;
    return (await this.#requests.transport.json<{ readonly count: number }>('batches?dry_run=true', request)).count;
  }

  /** A page of the caller's own, the newest first. */
  async list({ state, cursor, limit, ...options }: BatchListOptions = {}): Promise<BatchPage> {
    return this.#requests.get<BatchPage>(`batches${queryOf({ state, cursor, limit })}`, options);
  }

  async get(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.#requests.get<Batch>(pathOf(id), options);
  }

  /** Cancels the calls that have not ended. Throws CONFLICT when all have. */
  async cancel(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.#requests.transport.json<Batch>(pathOf(id), { method: 'DELETE', ...requestParts(options) });
  }

  /** How it stands, now and after each change, until it has ended. Cut connections are taken up again. */
  follow(id: string, options: RequestOptions = {}): AsyncGenerator<Batch, void> {
    return followEvents(this.#requests.transport, { path: `${pathOf(id)}/events`, ...requestParts(options) }, events);
  }

  /**
   * The results in the order of the calls, each when it is there, to the last. Cut connections, and a gateway that is away for a while, are
   * waited for.
   * @param options.after the index of the last result that was read
   */
  async *results(
    id: string,
    { after = -1, ...options }: RequestOptions & { readonly after?: number } = {},
  ): AsyncGenerator<BatchLine, void> {
    const { total } = await this.get(id, options);
    let last = after;
    for (let lost = 0; last < total - 1;) {
      try {
        for await (const result of this.#resultsAfter(id, last, options)) {
          yield result;
          last = result.index;
          lost = 0;
        }
      } catch (error) {
        const failure = error instanceof InvoqError || options.signal?.aborted ? error : connectionLost(error);
        if (!(failure instanceof InvoqError) || !failure.retryable || ++lost >= mostLost) throw failure;
        await pause(Math.max(failure.retryAfterMs ?? 0, Math.min(mostPauseMs, lostMs * lost)), options.signal);
      }
    }
  }

  async *#resultsAfter(id: string, after: number, options: RequestOptions): AsyncGenerator<BatchLine, void> {
    const { transport } = this.#requests;
    const parts = requestParts(options);
    const response = await transport.send(`${pathOf(id)}/results${queryOf({ after, wait: waitSeconds })}`, parts);
    if (!response.ok || !response.body) throw await transport.refusal(response, parts.signal);
    for await (const line of readLines(response.body)) yield JSON.parse(line);
  }

  async #send(content: object, query: string, options: NewBatchOptions): Promise<StartedBatch> {
    const request = { method: 'POST', ...content, ...requestParts(options) } as const;
    return this.#requests.retrying(options, () => this.#requests.transport.json<StartedBatch>(`batches${query}`, request));
  }
}

function pathOf(id: string): string {
  return `batches/${encodeURIComponent(id)}`;
}
