// A call of a tool → the parts of its request, and its envelope → a result.
import type { Envelope, EnvelopeMetadata } from '#lib/contracts';
import { errorOf } from './invoq-error.js';
import type { RequestParts } from './transport.js';
import type { Progress, Rest } from './call-wire.js';

/** For whom and until when a request is made. */
export interface RequestOptions {
  /** Firing it ends the wait; a call that is waited for is cancelled. */
  readonly signal?: AbortSignal;
  /** Act for this user; needs a key with the scope act-as. */
  readonly userId?: string;
}

export interface CallOptions extends RequestOptions {
  /** A second sending with the same key is the same call: for tools that change something. At most 255 characters. */
  readonly idempotencyKey?: string;
  /** The working session of MemoTree and Stripe tools. */
  readonly sessionId?: string;
  /** A version range, such as `^2.0.0`. */
  readonly version?: string;
  /** Options of the gateway. */
  readonly options?: GatewayOptions;
  /** Called with the progress; the call is then read as a stream. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called when the call goes to rest, with what for: `input_request` is the id of what somebody is asked. */
  readonly onRest?: (rest: Pick<Rest, 'reason' | 'until' | 'input_request'>) => void;
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
  /** A review of a success, in `metadata.metacognition`. */
  readonly metacognition?: boolean;
  /** What that review expects of answers. */
  readonly personality?: Readonly<Record<string, unknown>>;
  /** When it is to run: RFC 3339 with an offset, within a year. It rests until then. */
  readonly run_at?: string;
  /** Or in how many milliseconds. */
  readonly delay_ms?: number;
  /** Who is told of its end, for a call that nobody waits for: an address of the origin of a webhook. */
  readonly callback_url?: string;
}

export interface ToolResult<Data> {
  readonly data: Data;
  readonly metadata: EnvelopeMetadata;
  /** With the option `debug`, outside production. */
  readonly debug_info?: Envelope['debug_info'];
}

/** The path of a tool with its version and options. @param suffix such as `/sse` */
export function callPath(name: string, { version, options }: CallOptions, suffix = ''): string {
  const tool = encodeURIComponent(version === undefined ? name : `${name}@${version}`);
  const query = new URLSearchParams(
    Object.entries(options ?? {}).map(([key, value]): [string, string] => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString();
  return `tools/${tool}${suffix}${query && `?${query}`}`;
}

export function requestParts({
  idempotencyKey,
  userId,
  sessionId,
  signal,
}: CallOptions): Required<Pick<RequestParts, 'headers' | 'signal'>> {
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

/** The data has the type of the contract: the worker has checked it. Throws InvoqError for an envelope that tells a failure. */
export function resultOf<Data>(envelope: Envelope): ToolResult<Data>;
export function resultOf(envelope: Envelope): ToolResult<unknown> {
  if (!envelope.success) throw errorOf(envelope, 200);
  const { data, metadata, debug_info } = envelope;
  return { data, metadata, ...(debug_info && { debug_info }) };
}
