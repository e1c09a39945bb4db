import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Caller } from '#lib/contracts';
import type { MeasuredRequest } from './measured-request.js';
import type { RepeatableCall } from './repeatable-call.js';
import type { Steps } from './steps.js';
import type { Taken } from './taken.js';

/** What is known of a request before anything looks at its body. */
export interface RequestFacts {
  /** The caller's own or ours; a `request_id` among the parameters may still change it. */
  requestId: string;
  readonly startedAt: number;
  /** Outward trace id; a `_trace_id` in the body may still change it. */
  traceId: string;
  /** The one that follows from the W3C trace; differs when the caller brought its own. */
  readonly derivedTraceId: string;
  readonly w3cTraceId: string;
  readonly traceparent: string;
  readonly span: Span;
  /** Of its calls. They are written to the span when it ends. */
  readonly steps: Steps;
  /** What it takes of its credential's allowance besides the points of its route, such as for a call that was refused. */
  readonly taken: Taken;
  /** Set by authentication; null on open routes. */
  caller: Caller | null;
  /** The token of the issuer with which its caller came, where there is one. It is asked of that issuer alone, and never stored. */
  callerToken?: string;
  /** The ticket that let this request in to start a call. */
  ticket?: string;
  /** The body, where it is so small that none of its bytes and values cost points. */
  smallBody?: Buffer;
  /** Where somebody takes its metric. */
  measured?: MeasuredRequest | null;
  /** The call that the cache has answered. */
  repeatable?: RepeatableCall | null;
  /** The call as its head says it, where a head like it may come again. */
  ofHead?: CallOfHead;
  /** Its credential ended before its answer did. */
  isCutOff?: boolean;
  /** It was let in, and its call was begun, before any hook looked at it. */
  isBegun?: boolean;
  /** The id of what the request has made, for the audit. */
  made?: string;
}

/** What the head of a request says of its call, for the door that it came to. What else there is to say is in its body. */
export interface CallOfHead {
  /** Whether its bodies are messages with ids of their own. */
  readonly hasIds: boolean;
  /** Of its answers, besides those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Null for a body that is refused, or asks for more than one call. Nothing is begun yet. */
  callIn(body: unknown, headers: IncomingHttpHeaders): CallOfBody | null;
}

/** A request that was let in before any hook looked at it. */
export interface KnownRequest {
  readonly facts: RequestFacts;
  readonly headers: IncomingHttpHeaders;
}

export interface CallOfBody {
  /** @param watch is called once the call has to wait: the signal fires when its caller is gone */
  begin(request: KnownRequest, watch: () => AbortSignal): BegunCall;
}

/** A call that was begun before its door was asked. */
export interface BegunCall {
  /** Null where its door has more to say than that. It rejects with what the door would throw. */
  readonly answer: Promise<PlainAnswer | StreamedAnswer | null>;
  /** Leaves it to its door. @param reason thrown there in place of an answer */
  leave(reason?: unknown): void;
  /** Follows it no longer, unless its door does. The call itself goes on. */
  letGo(): void;
}

/** An answer 200, whose headers are those of its head. */
export interface PlainAnswer {
  readonly text: string;
  /** The call, where the cache has answered it. */
  readonly repeatable: RepeatableCall | null;
}

/** An answer 200 with the headers of its head, which is written as it comes. */
export interface StreamedAnswer {
  /** @param response whose head is written; it is ended here */
  stream(response: ServerResponse): Promise<void>;
}

const requestIdShape = /^[\x21-\x7e]{1,128}$/;

/** Whether a value can be the id of a request: 1–128 printable ASCII characters without spaces, fit for a header. */
export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && requestIdShape.test(value);
}
